import { expect, it } from "vitest";

import { isSameAddress } from "./web-address.ts";

it.each([
  "https://api.github.com",
  "https://api.github.com/",
  "https://API.GitHub.com",
  "https://api.github.com:443",
  "HTTPS://api.github.com//",
])("%s is the address of GitHub's API", (url) => {
  expect(isSameAddress(url, "https://api.github.com")).toBe(true);
  expect(isSameAddress("https://api.github.com", url)).toBe(true);
});

it.each([
  "http://api.github.com",
  "https://api.github.com:8443",
  "https://api.github.com/v3",
  "https://api.github.com.example.com",
  "https://github.com",
  "api.github.com",
  "",
])("%s is another one", (url) => {
  expect(isSameAddress(url, "https://api.github.com")).toBe(false);
});

it("paths count with their case", () => {
  expect(isSameAddress("https://ghe.example.com/api/v3/", "https://GHE.example.com/api/v3")).toBe(true);
  expect(isSameAddress("https://ghe.example.com/API/v3", "https://ghe.example.com/api/v3")).toBe(false);
});
