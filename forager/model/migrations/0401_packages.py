"""Packages of other installations: what was handed in, where records come from, and readings instead of originals."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F


def name_blobs(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """Until now the original alone lay in the blob store."""
    apps.get_model("forager", "Source").objects.update(blob=F("content_hash"))


class Migration(migrations.Migration):

    dependencies = [
        ('forager', '0311_no_relationship_table'),
    ]

    operations = [
        migrations.AddField(
            model_name='source',
            name='blob',
            field=models.CharField(db_index=True, default='', help_text='name of the file in the blob store', max_length=64),
            preserve_default=False,
        ),
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('status', models.CharField(default='checking', max_length=20)),
                ('sha256', models.CharField(max_length=64)),
                ('size_bytes', models.BigIntegerField()),
                ('actor', models.CharField(blank=True, max_length=200)),
                ('producer', models.JSONField(default=dict, help_text='who made it and of which revision, as its manifest says')),
                ('preview', models.JSONField(default=dict, help_text='what it would add, skip and keep; counts and examples')),
                ('outcome', models.JSONField(default=dict, help_text='what was added, skipped and kept')),
                ('tries', models.PositiveSmallIntegerField(default=0, help_text='of the step it is in; hard ends of workers count')),
                ('job_id', models.CharField(blank=True, max_length=40)),
                ('error', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('base', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='forager.knowledgebase')),
            ],
            options={
                'indexes': [models.Index(fields=['base', 'created_at'], name='forager_imp_base_id_510ec7_idx'), models.Index(fields=['status', 'created_at'], name='forager_imp_status_209638_idx')],
            },
        ),
        migrations.CreateModel(
            name='Origin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(help_text='document, source, statement, evidence, decision', max_length=20)),
                ('record_id', models.CharField(help_text='its id here', max_length=40)),
                ('instance_id', models.CharField(max_length=40)),
                ('origin_id', models.CharField(max_length=40)),
                ('base', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='origins', to='forager.knowledgebase')),
            ],
            options={
                'indexes': [models.Index(fields=['base', 'instance_id', 'origin_id'], name='forager_ori_base_id_7b7456_idx')],
                'constraints': [models.UniqueConstraint(fields=('base', 'kind', 'record_id', 'instance_id', 'origin_id'), name='origin_once')],
            },
        ),
        migrations.RunPython(name_blobs, migrations.RunPython.noop),
    ]
