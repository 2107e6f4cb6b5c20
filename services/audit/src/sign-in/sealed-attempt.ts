import { randomBytes } from "node:crypto";

import type { Clock } from "@hostledger/runtime";
import { EncryptJWT, jwtDecrypt } from "jose";
import { z } from "zod";

import type { SignInAttempt } from "./identity-provider.port.ts";

/** Maximum time at the provider, in seconds. */
export const attemptSeconds = 600;

/** Encrypts the data of a sign-in, so that the browser stores it and strangers cannot fill this process's memory. */
export interface AttemptSeal {
  seal(attempt: SignInAttempt): Promise<string>;
  /** @returns undefined for a text that this process did not seal, or sealed too long ago. */
  open(sealed: string): Promise<SignInAttempt | undefined>;
}

const shape = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() });

const algorithms = { alg: "dir", enc: "A256GCM" } as const;

/** Seals with a key of this process alone. */
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
        // Any invalid text is treated alike.
        return undefined;
      }
    },
  };
}
