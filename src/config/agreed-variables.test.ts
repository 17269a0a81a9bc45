import { expect, it } from "vitest";

import { image, release } from "../../test/support/release-config.ts";
import { readControllerConfig } from "./controller.ts";
import { readGatewayConfig } from "./gateway.ts";

it.each([
  [undefined, ["https://api.github.com"]],
  [
    "https://api.github.com, https://github.example.com/api/v3/",
    ["https://api.github.com", "https://github.example.com/api/v3"],
  ],
])("reads the APIs of GitHub from %s", (RUNWRIGHT_GITHUB_API_URLS, apiURLs) => {
  expect(readGatewayConfig({ RUNWRIGHT_GITHUB_API_URLS }, release).github).toEqual({ apiURLs });
  expect(readControllerConfig({ ...image, RUNWRIGHT_GITHUB_API_URLS }, release).github).toEqual({ apiURLs });
});

it.each(["http://api.github.com", "https://api.github.com,", "nowhere"])("refuses %s as GitHub's API", (url) => {
  expect(() => readGatewayConfig({ RUNWRIGHT_GITHUB_API_URLS: url }, release)).toThrow("RUNWRIGHT_GITHUB_API_URLS");
});
