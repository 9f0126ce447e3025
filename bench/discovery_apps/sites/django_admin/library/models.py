"""A small library: enough for every kind of field and relation that the admin draws differently."""

from django.db import models


class Publisher(models.Model):
    name = models.CharField(max_length=80)
    country = models.CharField(max_length=40, blank=True)

    class Meta:
        app_label = "library"

    def __str__(self):
        return self.name


class Author(models.Model):
    name = models.CharField(max_length=80)
    born = models.DateField(null=True, blank=True)
    biography = models.TextField(blank=True)

    class Meta:
        app_label = "library"

    def __str__(self):
        return self.name


class Book(models.Model):
    class Status(models.TextChoices):
        ORDERED = "ordered"
        HELD = "held"
        LOST = "lost"

    title = models.CharField(max_length=120)
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    publisher = models.ForeignKey(Publisher, null=True, blank=True, on_delete=models.SET_NULL)
    published = models.DateTimeField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.HELD)
    pages = models.PositiveIntegerField(default=100)
    lendable = models.BooleanField(default=True)

    class Meta:
        app_label = "library"

    def __str__(self):
        return self.title


class Copy(models.Model):
    book = models.ForeignKey(Book, on_delete=models.CASCADE)
    shelf = models.CharField(max_length=20)

    class Meta:
        app_label = "library"
        verbose_name_plural = "copies"

    def __str__(self):
        return f"{self.book} on {self.shelf}"
