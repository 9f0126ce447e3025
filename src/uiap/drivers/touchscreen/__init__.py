"""What every touch screen has in common: a hierarchy read into a graph, handles, gestures and their judgement.

Knows no wire. A driver brings a way to read the screen and fingers to touch it: adb's are in `android`, Appium's in
`appium`.
"""
