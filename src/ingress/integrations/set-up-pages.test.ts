import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { slackApp } from "../../../test/support/slack-app.ts";
import {
  githubCredentialKeys,
  Integration,
  linearCredentialKeys,
  signingSecretDataKeys,
  slackCredentialKeys,
} from "../../api/v1alpha1/index.ts";
import { integrationPath } from "../../domain/integrations/path.ts";

// The pages by which people set up an Integration: what is copied from them fits together.

const folder = join(import.meta.dirname, "..", "..", "..", "docs", "operate", "integrations");
const base = "https://hooks.example.com";

const pages = {
  github: Object.values(githubCredentialKeys),
  linear: Object.values(linearCredentialKeys),
  slack: Object.values(slackCredentialKeys),
};

/** What a page's block of a language holds, without the indentation of its step. */
function blockOf(page: string, language: string): string {
  const [, indent = "", block = ""] = new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\`$`, "m").exec(page) ?? [];
  return block.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

describe.each(Object.entries(pages))("the page of %s", (name, credentialKeys) => {
  const page = readFileSync(join(folder, `${name}.md`), "utf8");
  const shown = parse(blockOf(page, "yaml")) as Integration & { metadata: { name: string; namespace: string } };
  const { metadata, spec } = shown;

  it("has an Integration that is taken, of the page's provider", () => {
    expect(Integration.schema.shape.spec.safeParse(spec).error).toBeUndefined();
    expect(spec.type.toLowerCase()).toBe(name);
  });

  it("makes the Secret that the Integration names, with each key that it needs and no other", () => {
    const command = blockOf(page, "sh");
    const [, secret, namespace] = /^kubectl create secret generic (\S+) -n (\S+)/m.exec(command) ?? [];
    const keys = [...command.matchAll(/--from-file=([\w-]+)/g)].map(([, key]) => key);
    expect([spec.signingSecretRef.name, spec.credentialsSecretRef.name]).toEqual([secret, secret]);
    expect(namespace).toBe(metadata.namespace);
    expect(keys.sort()).toEqual([signingSecretDataKeys.current, ...credentialKeys].sort());
  });

  it("says which file each key is read from", () => {
    const files = [...blockOf(page, "sh").matchAll(/--from-file=([\w-]+)(?=[\s$])/g)].map(([, file]) => file ?? "");
    for (const file of files) expect(page.split("```sh")[0]).toContain(`\`${file}\``);
  });

  it("tests that Integration, at the address that the provider is given", () => {
    expect(page).toContain(`kubectl runwright integration test ${metadata.namespace}/${metadata.name} --url ${base}`);
    const address = `${base}${integrationPath(metadata, spec.type)}`;
    const given = name === "slack" ? slackApp.settings.event_subscriptions.request_url : page;
    expect(given).toContain(address);
  });
});
