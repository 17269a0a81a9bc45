import { Buffer } from "node:buffer";
import { signingSecretDataKeys } from "../../api/v1alpha1/index.ts";

/** The signing secrets of an Automation's or Integration's Secret, whose values are base64: the current one first; empty where none is set. */
export function storedSigningSecrets(secret: { data?: Record<string, string> } | undefined): string[] {
  return [signingSecretDataKeys.current, signingSecretDataKeys.previous].flatMap((key) => {
    const text = Buffer.from(secret?.data?.[key] ?? "", "base64").toString("utf8");
    // An empty secret would let everyone sign.
    return text === "" ? [] : [text];
  });
}
