"""Validates JSON lines against a schema: the few keywords that ours uses."""
import json, re, sys
root = json.load(open(sys.argv[1]))
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
        "number": (int, float)}
def valid(v, s):
    if "$ref" in s:
        return valid(v, root["$defs"][s["$ref"].rsplit("/", 1)[1]])
    if "oneOf" in s and sum(valid(v, x) for x in s["oneOf"]) != 1:
        return False
    if "enum" in s and v not in s["enum"] or "const" in s and v is not s["const"]:
        return False
    if "type" in s and not any(isinstance(v, TYPES[t])
            and not (t in ("integer", "number") and isinstance(v, bool)) for t in ([s["type"]]
                    if isinstance(s["type"], str) else s["type"])):
        return False
    if "minimum" in s and isinstance(v, (int, float)) and v < s["minimum"]:
        return False
    if isinstance(v, dict) and "properties" in s:
        if any(k not in v for k in s.get("required", [])) or any(k not in s["properties"] for k in v):
            return False
        return all(valid(x, s["properties"][k]) for k, x in v.items())
    if isinstance(v, dict) and "patternProperties" in s:
        return all(any(re.search(p, k) and valid(x, q) for p, q in s["patternProperties"].items()) for k,
                x in v.items())
    if isinstance(v, dict) and isinstance(s.get("additionalProperties"), dict):
        return all(valid(x, s["additionalProperties"]) for x in v.values())
    return not (isinstance(v, list) and "items" in s) or all(valid(x, s["items"]) for x in v)
lines = [l for l in open(sys.argv[2], encoding="utf-8") if l.strip()]
bad = [l for l in lines if not valid(json.loads(l), root)]
print("\n".join(bad)[:2000])
sys.exit(not lines or bool(bad))
