from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("forager", "0401_packages"),
    ]

    operations = [
        migrations.AddField(
            model_name="export",
            name="documents",
            field=models.JSONField(help_text="ids of those it may hold words of; null when it is not known", null=True),
        ),
    ]
