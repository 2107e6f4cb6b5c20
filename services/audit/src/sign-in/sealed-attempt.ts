import { randomBytes } from "node:crypto";

import type { Clock } from "@hostledger/runtime";
import { EncryptJWT, jwtDecrypt } from "jose";
import { z } from "zod";

import type { SignInAttempt } from "./identity-provider.port.ts";

/** How long a person may be away at the provider, in seconds. */
export const attemptSeconds = 600;

/** Seals what is kept of a sign-in, so that the browser keeps it and strangers who begin many fill no memory here. */
export interface AttemptSeal {
  seal(attempt: SignInAttempt): Promise<string>;
  /** @returns undefined for what was not sealed here, or too long ago. */
  open(sealed: string): Promise<SignInAttempt | undefined>;
}

const shape = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() });

const algorithms = { alg: "dir", enc: "A256GCM" } as const;

/** Seals with a key that is this process's alone. */
export function createAttemptSeal(clock: Clock): AttemptSeal {
  const key = randomBytes(32);
  const date = (): Date => new Date(clock.epochMilliseconds());
  return {
    seal: (attempt) =>
      new EncryptJWT({ ...attempt })
        .setProtectedHeader(algorithms)
        .setExpirationTime(new Date(clock.epochMilliseconds() + attemptSeconds * 1_000))
        .encrypt(key),

    async open(sealed) {
      try {
        const { payload } = await jwtDecrypt(sealed, key, {
          currentDate: date(),
          keyManagementAlgorithms: [algorithms.alg],
          contentEncryptionAlgorithms: [algorithms.enc],
          requiredClaims: ["exp"],
        });
        return shape.safeParse(payload).data;
      } catch {
        // Whatever is wrong with it, it is not ours: there is nothing to tell apart.
        return undefined;
      }
    },
  };
}
