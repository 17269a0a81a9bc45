import { expect, it } from "vitest";

import { repositoryPlace } from "./repository-place.ts";

it.each([
  "https://github.com/Acme/App.git",
  "https://GitHub.com:443/acme/app/",
  "https://www.github.com/acme/app",
  "git@github.com:acme/app.git",
  "ssh://git@github.com/acme/app.git",
  "ssh://git@ssh.github.com:443/acme/app.git",
])("%s is one place", (url) => {
  expect(repositoryPlace(url)).toEqual({ fullName: "acme/app", hostname: "github.com" });
});

it.each([
  { url: "ssh://git@altssh.gitlab.com:443/acme/team/app.git", want: "gitlab.com" },
  { url: "ssh://git@altssh.bitbucket.org:443/acme/app.git", want: "bitbucket.org" },
  { url: "ssh://git@ssh.github.com.example.com:443/acme/app.git", want: "ssh.github.com.example.com" },
  { url: "ssh://git@constructor/acme/app.git", want: "constructor" },
])("$url is at $want", ({ url, want }) => {
  expect(repositoryPlace(url).hostname).toBe(want);
});
