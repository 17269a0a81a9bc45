// A model service for the demo, with the chat interface that most services offer, streaming. It has no model: it answers
// from a script, always the same, so that a real coding agent works through a whole task without a key or a network. It
// runs in the cluster on the sandbox image; this file is mounted into the pod.
//
//   the prompt names an incident      read the faulty file, edit it, test, commit and push by the agent's own tools
//   it says "take your time"          no answer until the agent gives up
//   it says "ask a child"             start a child session, wait for what it says, ask it once more, tell both answers
//   it says "Which word"              the word of an earlier prompt, "The word is 1f."
//   it says "follow the skill NAME"   read the skill by the agent's own tool, commit as it says to a branch that its program names
//   anything else                     the number of prompts so far
import { createServer } from "node:http";
import process from "node:process";
import { setTimeout } from "node:timers";

const port = Number(process.env.PORT ?? 8080);
const source = "src/order-total.mjs";
const mistake = "sum + line.unitCents,";
const fixed = "sum + line.unitCents * line.quantity,";
const lookAgainMs = 3000;

const server = createServer((request, response) => {
  if (request.url === "/healthz") return void response.end("ok\n");
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => answer(JSON.parse(pieces.join("") || "{}"), response));
});
server.listen(port, () => console.log(`answering on port ${port}`));
process.on("SIGTERM", () => process.exit(0));

function answer({ messages = [], tools = [] }, response) {
  if (tools.length === 0) return void say(response, "Order totals"); // a title for the conversation
  const prompts = messages.filter(({ role }) => role === "user").map(textOf);
  const asked = prompts.at(-1) ?? "";
  if (asked.includes("take your time")) return void console.log("taking time");
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user")).filter(isToolResult);
  const answers = since.map(textOf);
  if (asked.includes("ask a child")) return void askChild(answers, tools, response);
  const skill = wordOf(/follow the skill ([a-z0-9-]+)/, asked);
  if (skill !== undefined) return void followSkill(skill, answers, { messages, tools }, response);
  const incident = wordOf(/"incident": "([a-z0-9-]{1,60})"/, asked);
  if (incident !== undefined) fix(incident, answers.length, response);
  else say(response, talk(prompts));
}

function wordOf(pattern, text) {
  return pattern.exec(text)?.[1];
}

function fix(incident, done, response) {
  const next = stepsFor(incident)[done];
  if (next) call(response, next);
  else say(response, `Order totals ignored the quantity of a line; fixed for incident ${incident}.`);
}

/** The tools to use, one after the other. */
function stepsFor(incident) {
  const branch = `runwright/fix-${incident}`;
  const message = `Count each line as often as it was ordered\n\nIncident: ${incident}`;
  const publish = [
    "node --test",
    `git switch --quiet --create ${branch}`,
    `git commit --quiet --all --message '${message}'`,
    `git push --quiet origin HEAD:refs/heads/${branch}`,
  ];
  return [
    { name: "read", arguments: { filePath: source } },
    { name: "edit", arguments: { filePath: source, oldString: mistake, newString: fixed } },
    { name: "bash", arguments: { command: publish.join(" && "), description: "Test, commit and push" } },
  ];
}

/** What goes into the commit stands in the skill alone, which the agent sends as what its tool has answered. */
function followSkill(name, answers, sent, response) {
  const [text, pushed] = answers;
  if (text === undefined) return void call(response, { name: "skill", arguments: { name } });
  if (pushed !== undefined) return void say(response, `The skill was listed ${timesListed(name, sent)} times.`);
  const [, trailer = ""] = /^(Reviewed-by-skill: \S+)$/m.exec(text) ?? [];
  const publish = [
    `branch=$("$HOME/.agents/skills/${name}/scripts/branch.sh")`,
    'git switch --quiet --create "$branch"',
    `git commit --quiet --allow-empty --message 'Follow the skill' --message '${trailer}'`,
    'git push --quiet origin "HEAD:refs/heads/$branch"',
  ];
  call(response, { name: "bash", arguments: { command: publish.join(" && "), description: "Commit and push" } });
}

/** How often the agent has told the model of a skill before it was asked for. */
function timesListed(name, { messages, tools }) {
  const told = JSON.stringify([messages.filter(({ role }) => role === "system"), tools]);
  return told.split(`<name>${name}</name>`).length - 1;
}

/** The word that a prompt has told, as the model itself remembers nothing, or the number of prompts. */
function talk(prompts) {
  if (!prompts.at(-1)?.includes("Which word")) return `Prompt number ${prompts.length} of this conversation.`;
  const told = prompts.map((prompt) => /The word is ([0-9a-f]+)\./.exec(prompt)?.[1]);
  const at = told.findIndex((word) => word !== undefined);
  return `The word was ${told[at]}, said in prompt ${at + 1} of ${prompts.length}.`;
}

/** Goes by what the tool used last has answered. */
function askChild(answers, tools, response) {
  // Agents put the name of the server before that of its tool, each in a way of its own.
  const nameOf = (tool) => tools.map(({ function: { name } }) => name).find((name) => name.endsWith(tool)) ?? tool;
  const use = (tool, values) =>
    call(response, { id: `${tool}-${answers.length}`, name: nameOf(tool), arguments: values });
  const last = answers.at(-1);
  if (last === undefined) return void use("spawn-child", { prompt: "What is this?" });
  if (!last.startsWith("{")) return void say(response, last);
  const { child, prompts, error } = JSON.parse(last);
  if (error !== undefined) return void say(response, error);
  if (prompts === undefined) return void use("get-child", { child: child.name });
  if (prompts.some(({ completedAt }) => completedAt === null)) {
    return void setTimeout(() => use("get-child", { child: child.name }), lookAgainMs);
  }
  if (prompts.length === 1) return void use("send-child-prompt", { child: child.name, prompt: "And this?" });
  const said = prompts.map(({ result, message }) => result?.summary ?? message).sort();
  say(response, `The child said: ${said.join(" ")}`);
}

function textOf({ content }) {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}

function isToolResult({ role }) {
  return role === "tool";
}

function say(response, content) {
  stream(response, { role: "assistant", content }, "stop");
}

function call(response, { name, id = name, arguments: values }) {
  const tool = { index: 0, id: `call-${id}`, type: "function" };
  const tool_calls = [{ ...tool, function: { name, arguments: JSON.stringify(values) } }];
  stream(response, { role: "assistant", tool_calls }, "tool_calls");
}

function stream(response, delta, finish_reason) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choices, rest = {}) => {
    const chunk = { id: "scripted", object: "chat.completion.chunk", created: 1, model: "scripted", choices, ...rest };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  send([{ index: 0, delta }]);
  send([{ index: 0, delta: {}, finish_reason }]);
  send([], { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
  response.end("data: [DONE]\n\n");
}
