"""The primitive actions: one module each, listed in `registry`.

Pure: an action plans gestures as data. Drivers perform them, and the runtime decides when and verifies the effect.
"""
