import { describe, expect, it } from "vitest";
import { temporaryProblem } from "../git/minted-credentials.ts";
import { isFinalProblem } from "./clone-problem.ts";

const url = "'https://git.example.com/web.git/'";

describe("a git command is not tried again where another try would meet the same", () => {
  // git: remote-curl.c, http.c, connect.c, transport.c, fetch-pack.c; OpenSSH: ssh.c, sshconnect.c; git-lfs: lfsapi.
  it.each([
    ["a wrong password", `fatal: Authentication failed for ${url}`],
    ["no password", "fatal: could not read Username for 'https://git.example.com': terminal prompts disabled"],
    ["GitLab's refusal", "remote: HTTP Basic: Access denied. If a password was provided for Git authentication"],
    ["GitHub's refusal", `remote: Repository not found.; fatal: repository ${url} not found`],
    ["Bitbucket's refusal", `fatal: unable to access ${url}: The requested URL returned error: 403`],
    ["a path that is not there", `fatal: unable to access ${url}: The requested URL returned error: 404`],
    ["a branch that is not there", "fatal: Remote branch dev not found in upstream origin"],
    ["a commit that is not there", "fatal: remote error: upload-pack: not our ref 0a0a0a"],
    ["no repository there", "fatal: '/srv/web.git' does not appear to be a git repository"],
    ["an unknown authority", `fatal: unable to access ${url}: SSL certificate problem: self-signed certificate`],
    ["an unknown host key", "Host key verification failed.; fatal: Could not read from remote repository."],
    ["a key that has no right", "git@git.example.com: Permission denied (publickey)."],
    ["too many keys", "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures"],
    ["a scheme that is not allowed", "fatal: transport 'file' not allowed"],
    ["a scheme that git does not know", "fatal: Unable to find remote helper for 'htps'"],
    ["no git-lfs in the image", "git: 'lfs' is not a git command. See 'git --help'."],
    ["a file that LFS lacks", "[404] Object does not exist on the server"],
    ["a bill that is not paid", "batch response: This repository is over its data quota."],
    ["a full disk", "fatal: write error: No space left on device"],
    ["a full share", "error: unable to write file a.bin: Disk quota exceeded"],
  ])("%s", (_, said) => expect(isFinalProblem(`git clone exited with status 128: ${said}`)).toBe(true));
});

describe("it is tried again where that may help", () => {
  it.each([
    ["a name that DNS does not have yet", `fatal: unable to access ${url}: Could not resolve host: git.example.com`],
    ["a server that restarts", `fatal: unable to access ${url}: The requested URL returned error: 503`],
    ["a server that has no time", `fatal: unable to access ${url}: The requested URL returned error: 429`],
    ["a connection that breaks", "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly; fatal: early EOF"],
    ["a server out of reach", "ssh: connect to host git.example.com port 22: Connection refused"],
    [
      "a slow server",
      "fatal: unable to access: Failed to connect to git.example.com port 443 after 130000 ms: Timeout",
    ],
    ["a token that the gateway had not made yet", `fatal: Authentication failed for ${url}; ${temporaryProblem}`],
  ])("%s", (_, said) => expect(isFinalProblem(`git clone exited with status 128: ${said}`)).toBe(false));
});
