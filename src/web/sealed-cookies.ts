import type { IncomingMessage } from "node:http";
import { EncryptJWT, jwtDecrypt } from "jose";
import type { Clock } from "../lib/clock.ts";

/** Browsers take 4,096 bytes of name and value; attributes count in some. */
const pieceCharacters = 3_800;
/** Of one cookie; a value of more is refused. */
const mostPieces = 4;

/** Values that browsers keep and cannot read or change, in as many cookies as they need. */
export class SealedCookies {
  readonly #key: Uint8Array;
  readonly #clock: Pick<Clock, "now">;

  /** `key` has 32 random bytes. */
  constructor(key: Uint8Array, clock: Pick<Clock, "now">) {
    this.#key = key;
    this.#clock = clock;
  }

  /** `Set-Cookie` headers that keep a value for some seconds. @throws RangeError for more than browsers can send back */
  async seal(name: string, value: Record<string, unknown>, seconds: number): Promise<string[]> {
    const nowSeconds = Math.floor(this.#clock.now().getTime() / 1_000);
    const text = await new EncryptJWT(value)
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      // So that one cookie is never taken for another.
      .setAudience(name)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + seconds)
      .encrypt(this.#key);
    const count = Math.ceil(text.length / pieceCharacters);
    if (count > mostPieces) throw new RangeError("too long for cookies");
    const pieces = Array.from({ length: count }, (_, at) =>
      setCookie(pieceName(name, at), text.slice(at * pieceCharacters, (at + 1) * pieceCharacters), seconds),
    );
    // Pieces of a longer value before it would be read as a part of this one.
    return [...pieces, ...this.clear(name).slice(count)];
  }

  /** The value of a request; undefined for none, and for one that was cut, changed, made elsewhere or has expired. */
  async open(name: string, request: Pick<IncomingMessage, "headers">): Promise<Record<string, unknown> | undefined> {
    const text = piecesOf(name, cookiesOf(request.headers.cookie));
    if (text === "") return undefined;
    try {
      const options = { audience: name, currentDate: this.#clock.now(), contentEncryptionAlgorithms: ["A256GCM"] };
      return (await jwtDecrypt(text, this.#key, options)).payload;
    } catch {
      return undefined;
    }
  }

  /** `Set-Cookie` headers that remove a value. */
  clear(name: string): string[] {
    return Array.from({ length: mostPieces }, (_, at) => setCookie(pieceName(name, at), "", 0));
  }
}

/** Of the whole origin and no other, over TLS alone, and out of reach of scripts. */
function setCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Lax`;
}

function pieceName(name: string, at: number): string {
  return `__Host-runwright-${name}-${at}`;
}

function piecesOf(name: string, cookies: ReadonlyMap<string, string>): string {
  let text = "";
  for (let at = 0; at < mostPieces; at += 1) {
    const piece = cookies.get(pieceName(name, at));
    if (piece === undefined) break;
    text += piece;
  }
  return text;
}

function cookiesOf(header = ""): ReadonlyMap<string, string> {
  return new Map(
    header.split(";").map((pair): [string, string] => {
      const [name = "", ...value] = pair.trim().split("=");
      return [name, value.join("=")];
    }),
  );
}
