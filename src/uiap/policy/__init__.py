"""Policy decisions: whether a request is allowed, confirmed by a person, handed off or denied.

Pure: documents and facts are given, a ruling is returned. Asking a person and acting is left to the runtime.
"""
