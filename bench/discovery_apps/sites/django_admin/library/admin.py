"""Lists with filters, searches, dates and actions; forms with fieldsets and rows inside."""

from django.contrib import admin

from library.models import Author, Book, Copy, Publisher


class Copies(admin.TabularInline):
    model = Copy
    extra = 1


@admin.register(Book)
class Books(admin.ModelAdmin):
    list_display = ("title", "author", "status", "published", "lendable")
    list_filter = ("status", "lendable", "publisher")
    search_fields = ("title", "author__name")
    date_hierarchy = "published"
    list_per_page = 25
    autocomplete_fields = ("author",)
    fieldsets = (
        (None, {"fields": ("title", "author", "publisher")}),
        ("State", {"fields": ("status", "lendable", "published", "pages"), "classes": ("collapse",)}),
    )
    inlines = (Copies,)


@admin.register(Author)
class Authors(admin.ModelAdmin):
    search_fields = ("name",)
    list_display = ("name", "born")


@admin.register(Publisher)
class Publishers(admin.ModelAdmin):
    list_editable = ("country",)
    list_display = ("name", "country")
