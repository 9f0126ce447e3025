"""A naive second reading of overlays and merges, by eye from companions §12.2 and AUTH-7.1; None means: an error."""

import copy
import json


def same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def join(old, new, strict=False):
    if isinstance(old, dict) and isinstance(new, dict):
        both = {**old, **new}
        return {k: join(old[k], new[k], strict) if k in old and k in new else both[k] for k in both}
    assert not strict or same(old, new)
    return new


def reach(doc, words):
    for word in words:
        doc = doc[key(doc, word)]
    return doc


def key(holder, word):
    assert isinstance(holder, dict) or (word.isdecimal() and word == str(int(word)))
    return word if isinstance(holder, dict) else int(word)


def steps(path):
    return [word.replace("~1", "/").replace("~0", "~") for word in path.split("/")[1:]]


def apply(doc, patch):
    holder, last = reach(doc, steps(patch["path"])[:-1]), steps(patch["path"])[-1]
    op, at, value = patch["op"], key(holder, last), copy.deepcopy(patch.get("value"))
    old = holder[at]
    assert isinstance(old, {"append": list, "upsert": list, "merge": dict}.get(op, object))
    assert op != "merge" or isinstance(value, dict)
    if op == "upsert":
        hits = [
            i for i, item in enumerate(old) if same(item.get(patch["matchKey"]), value[patch["matchKey"]])
        ]
        assert len(hits) < 2
        value = [*old[: hits[0]], value, *old[hits[0] + 1 :]] if hits else [*old, value]
    elif op == "append":
        value = old + (value if isinstance(value, list) else [value])
    holder[at] = join(old, value) if op == "merge" else value
    if op == "remove":
        del holder[at]


def clash(doc, a, b):
    p, q = sorted((steps(a["path"]), steps(b["path"])), key=len)
    if p == q and a["op"] == b["op"] == "upsert":
        return a["matchKey"] != b["matchKey"] or same(a["value"][a["matchKey"]], b["value"][b["matchKey"]])
    if q[: len(p)] == p:
        return not (p == q and a["op"] == b["op"] == "append")
    for x, y in ((a, b), (b, a)):  # an item removed from a list moves those behind it
        (*above, gone), other = steps(x["path"]), steps(y["path"])
        if x["op"] == "remove" and other[: len(above)] == above and isinstance(reach(doc, above), list):
            return int(other[len(above)]) >= int(gone)
    return False


def overlaid(doc, overlays):
    kept, result = [], copy.deepcopy(doc)
    try:
        for n, patch in [(n, patch) for n, patches in enumerate(overlays) for patch in patches]:
            others = [other for m, other in kept if m != n]
            if patch["op"] == "append" or not any(same(patch, other) for other in others):
                assert not any(clash(doc, patch, other) for other in others)
                kept.append((n, patch))
        [apply(result, patch) for _, patch in kept]
    except (LookupError, AssertionError, AttributeError, TypeError, ValueError):
        return None
    return result


def merged(manifests):
    found = {}
    try:
        for item in [item for items in manifests for item in items]:
            known = found.get(item["id"], item)
            found[item["id"]] = join(known, {**item, "match": known["match"]}, strict=True)
    except AssertionError:
        return None
    return [found[id] for id in sorted(found)]
