import { isLoopback } from "@hostledger/runtime";
import { z } from "zod";

/**
 * An address that secrets are sent to: https, or http of this machine.
 * @param reason why, the end of the sentence that refuses clear text.
 */
export function safeUrl(example: string, reason: string): z.ZodString {
  return z
    .string()
    .refine(isAddress, `must be an address such as ${example}, without user, query or fragment`)
    .refine(isSafe, `must be https, or http of this machine: ${reason}`);
}

function isAddress(value: string): boolean {
  return /^https?:\/\/[^\s?#@]{1,2000}$/.test(value) && URL.canParse(value);
}

function isSafe(value: string): boolean {
  if (!isAddress(value)) return true;
  const { protocol, hostname } = new URL(value);
  return protocol === "https:" || isLoopback(hostname.replaceAll(/[[\]]/g, ""));
}
