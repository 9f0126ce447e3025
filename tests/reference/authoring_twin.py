"""A naive second implementation of overlays and merges, from the spec and AUTH-7.1. It raises one of ERRORS."""

import copy
import json

ERRORS = (LookupError, AssertionError, AttributeError, TypeError, ValueError)


def same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def join(old, new, strict=False):
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{k: join(old[k], v, strict) if k in old else v for k, v in new.items()}}
    assert not strict or same(old, new)
    return new


def words(path):
    return [word.replace("~1", "/").replace("~0", "~") for word in path.split("/")[1:]]


def step(doc, word):
    assert isinstance(doc, dict) or (word.isdecimal() and word == str(int(word)))
    return word if isinstance(doc, dict) else int(word)


def reach(doc, path):
    return reach(doc[step(doc, path[0])], path[1:]) if path else doc


def apply(doc, patch):
    op, key, value = patch["op"], patch.get("matchKey"), copy.deepcopy(patch.get("value"))
    *above, last = words(patch["path"])
    holder, old = reach(doc, above), reach(doc, [*above, last])
    assert isinstance(old, {"append": list, "upsert": list, "merge": dict}.get(op, object))
    if op == "upsert":
        hits = [i for i, item in enumerate(old) if same(item.get(key), value[key])] or [len(old)]
        assert len(hits) == 1
        value = [*old[: hits[0]], value, *old[hits[0] + 1 :]]
    elif op == "append":
        value = old + (value if isinstance(value, list) else [value])
    elif op == "merge":
        value = join(old, {**value})
    holder[step(holder, last)] = value
    if op == "remove":
        del holder[step(holder, last)]


def clash(doc, a, b):
    p, q = sorted((words(a["path"]), words(b["path"])), key=len)
    if p == q and a["op"] == b["op"] == "upsert":
        return a["matchKey"] != b["matchKey"] or same(a["value"][a["matchKey"]], b["value"][b["matchKey"]])
    if q[: len(p)] == p:
        return not (p == q and a["op"] == b["op"] == "append")
    # An item removed from a list moves those behind it.
    pairs = [(words(x["path"]), words(y["path"])) for x, y in ((a, b), (b, a)) if x["op"] == "remove"]
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
