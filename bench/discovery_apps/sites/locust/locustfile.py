"""Two users who ask for a page that exists and for one that does not."""

from locust import HttpUser, constant, task


class Reader(HttpUser):
    wait_time = constant(3)

    @task(3)
    def read(self):
        self.client.get("/assets/terminal.gif")

    @task
    def ask_for_nothing(self):
        self.client.get("/nothing")

    @task
    def fail(self):
        raise ValueError("an example of an exception")
