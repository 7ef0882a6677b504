# SPDX-License-Identifier: Apache-2.0
"""A Django site in one file: REST framework with its three paginations, and GraphQL with a relay connection."""

import os
import sys

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="peers", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True, INSTALLED_APPS=["rest_framework"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["SITE_DATABASE"],
            "OPTIONS": {"init_command": "PRAGMA journal_mode = wal"},
        }
    },
    MIDDLEWARE=["django.middleware.http.ConditionalGetMiddleware"],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None})
django.setup()

import strawberry
from django.db import connection, models
from django.urls import include, path
from rest_framework import pagination, routers, serializers, viewsets
from strawberry import relay
from strawberry.django.views import GraphQLView
from strawberry.scalars import JSON


class Item(models.Model):
    title = models.TextField()
    big = models.BigIntegerField(default=0)
    ratio = models.FloatField(null=True)
    nested = models.JSONField(null=True)

    class Meta:
        app_label = "peers"


class ItemSerializer(serializers.ModelSerializer):
    title = serializers.CharField(allow_blank=True, trim_whitespace=False)

    class Meta:
        model = Item
        fields = ["id", "title", "big", "ratio", "nested"]


class Pages(pagination.PageNumberPagination):
    page_size, page_size_query_param, max_page_size = 50, "page_size", 200


class Offsets(pagination.LimitOffsetPagination):
    default_limit, max_limit = 50, 200


class Cursors(pagination.CursorPagination):
    page_size, page_size_query_param, max_page_size, ordering = 50, "page_size", 200, "id"


router = routers.DefaultRouter()
for paging in (Pages, Offsets, Cursors):
    members = {
        "queryset": Item.objects.order_by("id"), "serializer_class": ItemSerializer, "pagination_class": paging,
    }
    router.register(paging.__name__.lower(), type(paging.__name__, (viewsets.ModelViewSet,), members), paging.__name__)


@strawberry.type(name="Item")
class ItemNode(relay.Node):
    id: relay.NodeID[int]
    title: str
    big: str
    ratio: float | None
    nested: JSON | None

    @classmethod
    def of(cls, item):
        return cls(id=item.id, title=item.title, big=str(item.big), ratio=item.ratio, nested=item.nested)


@strawberry.input
class ItemInput:
    title: str | None = None
    big: str | None = None
    nested: JSON | None = None

    def write(self, item):
        for name in ("title", "big", "nested"):
            value = getattr(self, name)
            if value is not None:
                setattr(item, name, int(value) if name == "big" else value)
        item.save()
        return Written(node=ItemNode.of(item))


@strawberry.type
class Written:
    node: ItemNode


@strawberry.type
class Query:
    @relay.connection(relay.ListConnection[ItemNode])
    def items(self) -> list[ItemNode]:
        return [ItemNode.of(item) for item in Item.objects.order_by("id")]


@strawberry.type
class Mutation:
    @strawberry.mutation
    def create(self, node: ItemInput) -> Written:
        return node.write(Item())

    @strawberry.mutation
    def update(self, id: relay.GlobalID, node: ItemInput) -> Written:
        return node.write(Item.objects.get(pk=id.node_id))

    @strawberry.mutation
    def delete(self, id: relay.GlobalID) -> int:
        return Item.objects.filter(pk=id.node_id).delete()[0]


schema = strawberry.Schema(Query, Mutation)
urlpatterns = [path("api/", include(router.urls)), path("graphql", GraphQLView.as_view(schema=schema, graphql_ide=None))]

if __name__ == "__main__":
    from django.core.handlers.wsgi import WSGIHandler
    from waitress import serve

    with connection.schema_editor() as editor:
        editor.create_model(Item)
    serve(WSGIHandler(), host="127.0.0.1", port=int(sys.argv[1]))
