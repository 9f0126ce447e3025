"""Adds the script of the benchmark that marks each control."""

from desk.settings import HERE


def add_marks(get_response):
    script = b"<script>" + (HERE / "marks.js").read_bytes() + b"</script></body>"

    def answer(request):
        response = get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            response.content = response.content.replace(b"</body>", script)
        return response

    return answer
