import type { IncomingMessage } from "node:http";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import type { BodyBudget } from "../../lib/body-budget.ts";
import { readBody, skipBody } from "../body.ts";
import { digestsIn, SignatureCheck } from "../signature.ts";
import type { UnprovenBody } from "./unproven-body.ts";

const scheme = { algorithm: "sha256", encoding: "hex" } as const;

export interface SignedBodyOptions {
  budget: BodyBudget;
  /** Who shares the budget with others, such as a namespace. */
  sharer: string;
  unproven: Pick<UnprovenBody, "add">;
  longestBytes: number;
  /** In hexadecimal. */
  signature: string;
  /** What is signed before the body. */
  prefix?: string;
  secrets: readonly string[];
}

/**
 * Reads a body of which one of the secrets has signed the bytes; it is hashed while it is read and takes room from the budget
 * until it is judged. A signature that can be none of any body costs neither. @throws Refusal @throws SenderGoneError
 */
export async function readSignedBody(request: IncomingMessage, options: SignedBodyOptions): Promise<Buffer> {
  const { budget, sharer, unproven, longestBytes, signature, prefix = "", secrets } = options;
  const digests = digestsIn([signature], scheme);
  if (digests.length === 0) {
    await skipBody(request, { longestBytes, onPiece: ({ length }) => unproven.add(length) });
    throw wrongSignature();
  }
  const check = new SignatureCheck(scheme, secrets);
  check.update(prefix);
  return budget.lend(async (room) => {
    const onPiece = (piece: Buffer): Promise<void> | undefined => {
      check.update(piece);
      return unproven.add(piece.length);
    };
    const body = await readBody(request, { longestBytes, room, onPiece });
    if (check.isSignedBy(digests)) return body;
    throw wrongSignature();
  }, sharer);
}

function wrongSignature(): Refusal {
  return new Refusal({ code: "WrongKey", message: "The signature is not that of this body" });
}
