import { describe, expect, it } from "vitest";

import { clonePlace, isSshUrl } from "./clone-url.ts";

const azure = { protocol: "https", host: "dev.azure.com", hostname: "dev.azure.com", path: "acme/Shop A/_git/Shop A" };

describe("an https:// URL", () => {
  it.each([
    { url: "https://dev.azure.com/acme/Shop%20A/_git/Shop%20A", want: azure },
    { url: "https://Dev.Azure.com:443/acme/Shop%20A/_git/Shop%20A/", want: azure },
    { url: "https://dev.azure.com:0443//acme/Shop%20A/_git/Shop%20A.git", want: azure },
    { url: "https://dev.azure.com/acme/%53hop%20%41/_git/Shop%20A.git/", want: azure },
  ])("$url is one place, however it is written", ({ url, want }) => {
    expect(clonePlace(url)).toEqual(want);
  });

  it.each([
    { written: "a%2Bb", path: "a+b" },
    { written: "a%2bb", path: "a+b" },
    { written: "a+b", path: "a+b" },
    { written: "caf%C3%A9", path: "café" },
    { written: "caf%c3%a9", path: "café" },
    { written: "%EF%BB%BFa", path: "\u{feff}a" },
    { written: "a%2520b", path: "a%20b" },
    { written: "a%2Fb", path: "a/b" },
    { written: "a%00b", path: "a%00b" },
    { written: "a%zz%4", path: "a%zz%4" },
    { written: "a.git/b", path: "a.git/b" },
    { written: "scm//~user///a.git//", path: "scm/~user/a" },
    { written: "scm/%7Euser/a.git", path: "scm/~user/a" },
    { written: "A/B", path: "A/B" },
    { written: "a?x=1", path: "a?x=1" },
    { written: "", path: "" },
  ])("with the path $written is of $path", ({ written, path }) => {
    expect(clonePlace(`https://git.example.com/${written}`).path).toBe(path);
  });

  it.each([
    { host: "git.example.com:8443", want: { host: "git.example.com:8443", hostname: "git.example.com" } },
    { host: "git.example.com:22", want: { host: "git.example.com:22", hostname: "git.example.com" } },
    { host: "git.example.com:", want: { host: "git.example.com", hostname: "git.example.com" } },
    { host: "Git.example.com.", want: { host: "git.example.com", hostname: "git.example.com" } },
    { host: "git.example.com.:8443", want: { host: "git.example.com:8443", hostname: "git.example.com" } },
    { host: "Bücher.example", want: { host: "xn--bcher-kva.example", hostname: "xn--bcher-kva.example" } },
    { host: "XN--BCHER-KVA.example:443", want: { host: "xn--bcher-kva.example", hostname: "xn--bcher-kva.example" } },
    { host: "[fd00:0:0:0::0001]", want: { host: "[fd00::1]", hostname: "[fd00::1]" } },
    { host: "my_git.example.com", want: { host: "my_git.example.com", hostname: "my_git.example.com" } },
    { host: "a b", want: { host: "a b", hostname: "a b" } },
    { host: "", want: { host: "", hostname: "" } },
    { host: ".", want: { host: ".", hostname: "." } },
    { host: "[FD00::1]", want: { host: "[fd00::1]", hostname: "[fd00::1]" } },
    { host: "[fd00::1]:8443", want: { host: "[fd00::1]:8443", hostname: "[fd00::1]" } },
  ])("at $host has that host", ({ host, want }) => {
    expect(clonePlace(`https://${host}/a`)).toMatchObject(want);
    expect(clonePlace(`https://${host}`)).toMatchObject(want);
  });
});

describe("a URL for SSH", () => {
  const team = { protocol: "ssh", hostname: "git.example.com", path: "team/a" };
  it.each([
    { url: "git@git.example.com:team/a.git", want: { ...team, host: "git.example.com" } },
    { url: "git@Git.example.com:/team/a/", want: { ...team, host: "git.example.com" } },
    { url: "ssh://git@git.example.com/team/a.git", want: { ...team, host: "git.example.com" } },
    { url: "ssh://git.example.com:22/team/a", want: { ...team, host: "git.example.com" } },
    { url: "ssh://git@git.example.com:2222/team/%61", want: { ...team, host: "git.example.com:2222" } },
    { url: "git@git.example.com:22/a%20b", want: { ...team, host: "git.example.com", path: "22/a%20b" } },
    { url: "git@git.example.com:a:b", want: { ...team, host: "git.example.com", path: "a:b" } },
  ])("$url is one place", ({ url, want }) => {
    expect(clonePlace(url)).toEqual(want);
    expect(isSshUrl(url)).toBe(true);
  });
});
