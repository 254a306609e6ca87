from django.apps import AppConfig


class ModelConfig(AppConfig):
    name = "forager.model"
    label = "forager"
