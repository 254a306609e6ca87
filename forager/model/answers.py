from django.db import models


class KeptAnswer(models.Model):
    """What a repeated request is answered with: the first result under the caller's ``Idempotency-Key``."""

    caller = models.CharField(max_length=60)
    key = models.CharField(max_length=200)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField(null=True)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["caller", "key"], name="answer_once")]
