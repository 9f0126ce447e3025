"""A naive second reading of overlays and merges, by eye from companions §12.2 and AUTH-7.1. It raises one of ERRORS."""

import copy
import json

ERRORS = (LookupError, AssertionError, AttributeError, TypeError, ValueError)


def same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def join(old, new, strict=False):
    if isinstance(old, dict) and isinstance(new, dict):
        both = {**old, **new}
        return {k: join(old[k], new[k], strict) if k in old and k in new else both[k] for k in both}
    assert not strict or same(old, new)
    return new


def steps(path):
    return [word.replace("~1", "/").replace("~0", "~") for word in path.split("/")[1:]]


def key(holder, word):
    assert isinstance(holder, dict) or (word.isdecimal() and word == str(int(word)))
    return word if isinstance(holder, dict) else int(word)


def reach(doc, words):
    return reach(doc[key(doc, words[0])], words[1:]) if words else doc


def apply(doc, patch):
    op, value, (*above, last) = patch["op"], copy.deepcopy(patch.get("value")), steps(patch["path"])
    holder = reach(doc, above)
    at, old = key(holder, last), holder[key(holder, last)]
    assert isinstance(old, {"append": list, "upsert": list, "merge": dict}.get(op, object))
    if op == "upsert":
        hits = [
            i for i, item in enumerate(old) if same(item.get(patch["matchKey"]), value[patch["matchKey"]])
        ]
        assert len(hits) < 2
        value = [*old[: hits[0]], value, *old[hits[0] + 1 :]] if hits else [*old, value]
    elif op == "append":
        value = old + (value if isinstance(value, list) else [value])
    elif op == "merge":
        value = join(old, {**value})
    holder[at] = value
    if op == "remove":
        del holder[at]


def clash(doc, a, b):
    p, q = sorted((steps(a["path"]), steps(b["path"])), key=len)
    if p == q and a["op"] == b["op"] == "upsert":
        return a["matchKey"] != b["matchKey"] or same(a["value"][a["matchKey"]], b["value"][b["matchKey"]])
    if q[: len(p)] == p:
        return not (p == q and a["op"] == b["op"] == "append")
    # An item removed from a list moves those behind it.
    pairs = [(steps(x["path"]), steps(y["path"])) for x, y in ((a, b), (b, a)) if x["op"] == "remove"]
    lists = [(p, q) for p, q in pairs if q[: len(p) - 1] == p[:-1] and isinstance(reach(doc, p[:-1]), list)]
    return any(int(q[len(p) - 1]) >= int(p[-1]) for p, q in lists)


def overlaid(doc, overlays):
    kept, result = [], copy.deepcopy(doc)
    for n, patch in [(n, patch) for n, patches in enumerate(overlays) for patch in patches]:
        others = [other for m, other in kept if m != n]
        if patch["op"] == "append" or not any(same(patch, other) for other in others):
            assert not any(clash(doc, patch, other) for other in others)
            kept.append((n, patch))
    [apply(result, patch) for _, patch in kept]
    return result


def merged(manifests):
    found = {}
    for item in [item for items in manifests for item in items]:
        known = found.get(item["id"], item)
        found[item["id"]] = join(known, {**item, "match": known["match"]}, strict=True)
    return [found[id] for id in sorted(found)]
