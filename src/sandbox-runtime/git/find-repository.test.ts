import { expect, it } from "vitest";
import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { findRepository } from "./find-repository.ts";

const credential = { username: "u", password: "p" };
const repositories: BundleRepository[] = [
  { name: "a", url: "https://git.example.com/team/a.git", branch: "main", credential },
  {
    name: "b",
    url: "https://git.example.com:8443/team/b",
    branch: "main",
    credential: { username: "b", password: "b" },
  },
  { name: "secure", url: "ssh://git@git.example.com/team/secure.git", branch: "main", credential },
  { name: "short", url: "git@git.example.com:team/short.git", branch: "main", credential },
  { name: "open", url: "https://git.example.com/team/open.git", branch: "main" },
];

it.each([
  { ask: "https git.example.com team/a.git", want: credential },
  { ask: "https git.example.com team/a", want: credential },
  { ask: "https git.example.com /team/a.git/", want: credential },
  { ask: "https git.example.com:443 team/a.git", want: credential },
  { ask: "https GIT.example.com team/a.git", want: credential },
  { ask: "https git.example.com team/a.git/info/lfs", want: credential },
  { ask: "https git.example.com:8443 team/b", want: { username: "b", password: "b" } },
  { ask: "https git.example.com team/b", want: {} },
  { ask: "https git.example.com team/ab.git", want: {} },
  { ask: "https git.example.com team", want: {} },
  { ask: "https git.example.com ", want: {} },
  { ask: "http git.example.com team/a.git", want: {} },
  { ask: "https evil.example.com team/a.git", want: {} },
  { ask: "https git.example.com team/open.git", want: {} },
  { ask: "https git.example.com team/secure.git", want: {} },
  { ask: "https git.example.com team/short.git", want: {} },
])("answers to $ask", ({ ask, want }) => {
  const [protocol = "", host = "", path = ""] = ask.split(" ");
  expect(findRepository(repositories, { type: "credential", protocol, host, path })?.credential ?? {}).toEqual(want);
});
