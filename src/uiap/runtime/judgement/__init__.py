"""The judgement of one action: three questions, each a pure function over observed facts.

- `own_state`: does the end state hold that the action exists for?
- `cause`: did the action cause each effect that is claimed?
- `ending`: has the work ended that the action set going?

`verification` asks all three with every observation. Success needs all three answers.
"""
