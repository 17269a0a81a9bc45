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
  { name: "spaces", url: "https://git.example.com/Shop%20A/_git/caf%C3%A9%2b1", branch: "main", credential },
  { name: "inner", url: "https://git.example.com/team/x.git/y", branch: "main", credential },
  { name: "query", url: "https://git.example.com/team/q?x=1", branch: "main", credential },
  {
    name: "upper",
    url: "https://git.example.com/Team/Mixed.git",
    branch: "main",
    credential: { username: "M", password: "M" },
  },
  {
    name: "lower",
    url: "https://git.example.com/team/mixed.git",
    branch: "main",
    credential: { username: "m", password: "m" },
  },
  { name: "idn", url: "https://xn--bcher-kva.example/scm/~user/a.git", branch: "main", credential },
  { name: "v6", url: "https://[fd00::1]:8443/a.git", branch: "main", credential },
  { name: "open", url: "https://git.example.com/team/open.git", branch: "main" },
];

it.each([
  { ask: "https git.example.com team/a.git", want: credential },
  { ask: "https git.example.com team/a", want: credential },
  { ask: "https git.example.com /team/a.git/", want: credential },
  { ask: "https git.example.com:443 team/a.git", want: credential },
  { ask: "https GIT.example.com team/a.git", want: credential },
  { ask: "https git.example.com team/a.git/info/lfs", want: credential },
  { ask: "https git.example.com Shop\u00a0A/_git/café+1", want: {} },
  { ask: "https git.example.com Shop A/_git/café+1", want: credential },
  { ask: "https git.example.com Shop A/_git/café+1.git/info/lfs", want: credential },
  { ask: "https git.example.com Shop%20A/_git/caf%C3%A9%2b1", want: {} },
  { ask: "https git.example.com Shop A/_git/café+", want: {} },
  { ask: "https git.example.com team/x.git/y.git", want: credential },
  { ask: "https git.example.com team/x/y", want: {} },
  { ask: "https git.example.com team/q?x=1", want: credential },
  { ask: "https git.example.com:0443 team/a.git//", want: credential },
  { ask: "https git.example.com. team/a.git", want: credential },
  { ask: "https git.example.com Team/A.git", want: credential },
  { ask: "https git.example.com Team/A.git/info/lfs", want: credential },
  { ask: "https git.example.com Team/AB.git", want: {} },
  { ask: "https git.example.com TEAM/Open.git", want: {} },
  { ask: "https git.example.com Team/Mixed.git", want: { username: "M", password: "M" } },
  { ask: "https git.example.com team/mixed.git", want: { username: "m", password: "m" } },
  { ask: "https git.example.com TEAM/MIXED.git", want: { username: "M", password: "M" } },
  { ask: "https git.example.com //team//a.git", want: credential },
  { ask: "https Bücher.example scm/~user/a", want: credential },
  { ask: "https XN--BCHER-KVA.example scm/~user/a.git/info/lfs", want: credential },
  { ask: "https [FD00:0::1]:8443 a", want: credential },
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
  const [, protocol = "", host = "", path = ""] = /^(\S*) (\S*) (.*)$/.exec(ask) ?? [];
  expect(findRepository(repositories, { type: "credential", protocol, host, path })?.credential ?? {}).toEqual(want);
});
