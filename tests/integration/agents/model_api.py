#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""model_api.py ADDRESS PORT COMMAND...: plays the model of an agent, in the words of two vendors.

In each conversation it wants the commands run, one after the other, and then says what all of them printed.
What it was asked is written to standard output, one request a line.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMANDS = sys.argv[3:]


def text_of(content):
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


class Messages:
    """POST /v1/messages"""

    def __init__(self, request):
        parts = [
            part
            for message in request.get("messages", [])
            if isinstance(message.get("content"), list)
            for part in message["content"]
        ]
        self.results = [text_of(part.get("content")) for part in parts if part.get("type") == "tool_result"]
        self.has_tools = any(tool.get("name") == "Bash" for tool in request.get("tools", []))
        self.model = request.get("model", "mock")

    def block(self):
        if self.has_tools and len(self.results) < len(COMMANDS):
            number = len(self.results)
            arguments = {"command": COMMANDS[number], "description": f"step {number}"}
            return {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": arguments}
        return {"type": "text", "text": "said: " + "\n".join(self.results or ["ok"])}

    def message(self, content, reason):
        usage = {"input_tokens": 10, "output_tokens": 10}
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model, "content": content,
                "stop_reason": reason, "stop_sequence": None, "usage": usage}

    def whole(self):
        block = self.block()
        return self.message([block], "tool_use" if block["type"] == "tool_use" else "end_turn")

    def events(self):
        whole = self.whole()
        block = whole["content"][0]
        yield {"type": "message_start", "message": self.message([], None)}
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": 0, "content_block": start}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
               "usage": {"output_tokens": 10}}
        yield {"type": "message_stop"}


class Responses:
    """POST /v1/responses"""

    def __init__(self, request):
        items = request.get("input", [])
        items = items if isinstance(items, list) else []
        outputs = [item.get("output") for item in items if item.get("type", "").endswith("call_output")]
        self.results = [output if isinstance(output, str) else text_of(output) for output in outputs]
        names = [tool.get("name") for tool in request.get("tools", [])]
        self.tool = next((name for name in ("exec_command", "shell_command", "shell") if name in names), None)

    def item(self):
        if self.tool and len(self.results) < len(COMMANDS):
            number = len(self.results)
            command = COMMANDS[number]
            arguments = {
                "exec_command": {"cmd": command, "yield_time_ms": 30000},
                "shell_command": {"command": command},
                "shell": {"command": ["bash", "-c", command]},
            }[self.tool]
            return {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": self.tool,
                    "arguments": json.dumps(arguments), "status": "completed"}
        text = "said: " + "\n".join(self.results or ["ok"])
        return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}

    def whole(self):
        usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        return {"id": "resp_1", "object": "response", "status": "completed", "output": [self.item()], "usage": usage}

    def events(self):
        whole = self.whole()
        yield {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}
        yield {"type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]}
        yield {"type": "response.completed", "response": whole}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, body, kind="application/json", status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        print("GET", self.path, flush=True)
        self.answer(b'{"data": [], "models": []}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        print("POST", self.path, flush=True)
        path = self.path.split("?")[0]
        kinds = {"/v1/messages": Messages, "/v1/responses": Responses}
        if path not in kinds:
            self.answer(b'{"input_tokens": 10}')
            return
        request = json.loads(body)
        reply = kinds[path](request)
        if not request.get("stream"):
            self.answer(json.dumps(reply.whole()).encode())
            return
        stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in reply.events())
        self.answer(stream.encode(), "text/event-stream")


if __name__ == "__main__":
    ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
