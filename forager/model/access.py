from django.db import models


class Token(models.Model):
    """An integration token ``fgr_…``; only its digest is kept. No bases listed means none, not all."""

    id = models.CharField(primary_key=True, max_length=40)
    name = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField()
    base_ids = models.JSONField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
