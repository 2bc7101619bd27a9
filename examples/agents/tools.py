"""A function that runs Python in a box, as a tool for Python frameworks. CAISSON_URL, CAISSON_TOKEN: docs/serve.md.

LangChain            from langchain_core.tools import tool;  tool(run_python)
OpenAI Agents SDK    from agents import function_tool;       function_tool(run_python)
smolagents           from smolagents import tool;            tool(run_python)
LlamaIndex           from llama_index.core.tools import FunctionTool;  FunctionTool.from_defaults(run_python)

They take name, argument and description from the function itself."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients/python"))
from caisson import Sandbox  # noqa: E402  (copy caisson.py beside your program instead)


def run_python(code: str) -> str:
    """Runs Python code in a fresh sandbox without network and returns what it printed.

    Args:
        code: The Python code.
    """
    result = Sandbox().run(code, timeout_sec=20)
    return json.dumps({"status": result.status, "stdout": result.stdout, "stderr": result.stderr})


async def score(answers):
    """Runs many answers of a model at once, as for an evaluation: how many print 42?"""
    import asyncio
    box = Sandbox()
    results = await asyncio.gather(*[box.run_async(code, timeout_sec=5) for code in answers])
    return sum(r.ok and r.stdout.strip() == "42" for r in results)
