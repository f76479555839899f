"""The MCP server: its tools, and how a call becomes an answer, an error or a cancellation.

Built on the low-level server of the official SDK: our own check of the arguments says what is wrong
without repeating their values, which the SDK's function wrapper would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server

from memguard import __version__, wire
from memguard.errors import MemGuardError
from memguard.server.arguments import Arguments, CheckSummary, CompressContext, read, schema_of
from memguard.server.memory_arguments import MemoryArguments
from memguard.server.memory_work import MemoryTool
from memguard.server.progress import Climb
from memguard.server.work import Answer, ContextTools
from memguard.trace import Progress

INSTRUCTIONS = (
    "MemGuard keeps what an earlier conversation really said. compress_context turns messages into a short "
    "text, each line with the messages it rests on. check_summary tells which claims of a summary the "
    "messages support. memory keeps and finds facts across conversations."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: As a client calls it.
        title: For people.
        description: For a model that decides whether to call it.
        arguments: What it takes.
        run: Does the work, on a thread of its own.
        output: JSON schema of ``Answer.result``.
        hints: What a client may tell its user of it.
        takes_turns: Whether one call runs at a time: two runs of the models on one processor gain nothing.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Any, Progress], Answer]
    output: dict[str, Any]
    hints: types.ToolAnnotations
    takes_turns: bool = False


def result_schema() -> dict[str, Any]:
    """Return the outer form of ``memguard.result/1``; the parts are described in ``memguard.wire``."""
    kinds = {
        "schema": {"const": wire.SCHEMA},
        "id": {"type": "string", "description": "The run, as its audit names it."},
        "models": {"type": "object"},
        "settings": {"type": "object"},
        "compression": {
            "type": ["object", "null"],
            "description": "What was picked; null for check_summary.",
        },
        "claims": {
            "type": "array",
            "description": "Each claim with its label, reason, evidence (message id, offsets) and findings.",
            "items": {"type": "object"},
        },
        "payload": {"type": "object", "description": "The text, its tokens and its citations."},
        "facts": {
            "type": "array",
            "description": "The key facts of the messages, and whether the payload states each.",
            "items": {"type": "object"},
        },
        "retention": {"type": ["object", "null"], "description": "Recall of the key facts, by class."},
        "audit_head": {"type": ["string", "null"], "description": "Vouches for the whole audit."},
        "status": {"enum": ["ok", "no_supported_claims", "empty", "error"]},
        "warnings": {"type": "array", "items": {"type": "string"}},
    }
    return {"type": "object", "properties": kinds, "required": list(wire.Result.__annotations__)}


def context_tools(work: ContextTools) -> tuple[Tool, ...]:
    """Return the tools that work on one conversation."""
    reading = types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return (
        Tool(
            "compress_context",
            "Compress a conversation",
            "Turn a long conversation into a short context in which every line is supported by the messages "
            "that it cites. What the summary claims and the messages do not support is dropped and told.",
            CompressContext,
            lambda given, progress: work.compress_context(given.messages, given.options(), progress),
            result_schema(),
            reading,
            takes_turns=True,
        ),
        Tool(
            "check_summary",
            "Check a summary",
            "Check each claim of a summary against the raw messages: kept, contradicted (and by which "
            "message), or not found in the transcript.",
            CheckSummary,
            lambda given, progress: work.check_summary(
                given.summary, given.messages, given.options(), progress
            ),
            result_schema(),
            reading,
            takes_turns=True,
        ),
    )


def memory_tool(work: MemoryTool) -> Tool:
    """Return the tool that works on long-term memory."""
    return Tool(
        "memory",
        "Long-term memory",
        "Remember facts across conversations and find them again. Secrets and personal data are replaced "
        "before anything is stored; a duplicate is not stored twice; what is deleted can be restored. "
        "Actions: capture (text or turns), search (query), list, get, delete, restore, compress (each "
        "memory_id), summarize (max_tokens, strategy), maintain (dry_run), export, import (lines).",
        MemoryArguments,
        work,
        {
            "type": "object",
            "properties": {
                "action": {"type": "string"},
                "status": {"type": "string", "description": "What happened, such as stored or duplicate."},
            },
            "required": ["action", "status"],
        },
        types.ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
        ),
    )


def build(tools: Sequence[Tool]) -> Server[Any]:
    """Return a server of these tools."""
    by_name = {tool.name: tool for tool in tools}
    turn = anyio.CapacityLimiter(1)

    async def list_tools(
        _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in tools])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            return _failed(f"there is no tool {params.name[:80]!r}; known: {', '.join(by_name)}")
        try:
            given = read(tool.arguments, params.arguments or {})
            work = partial(tool.run, given, Climb(partial(_report, context)))
            answer = await anyio.to_thread.run_sync(work, limiter=turn if tool.takes_turns else None)
        except MemGuardError as error:
            return _failed(str(error))
        texts = [types.TextContent(type="text", text=text) for text in answer.texts]
        return types.CallToolResult(content=list(texts), structured_content=answer.result)

    return Server(
        "memguard",
        title="MemGuard",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema_of(tool.arguments),
        output_schema=tool.output,
        annotations=tool.hints,
    )


def _failed(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)


def _report(context: ServerRequestContext[Any], progress: float, total: float, message: str) -> None:
    """Send a notification from the thread that works; a call that was cancelled ends here."""
    anyio.from_thread.check_cancelled()
    anyio.from_thread.run(context.session.report_progress, progress, total, message)
