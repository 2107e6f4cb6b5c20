import { createSecret, readSecret, type NewSecret } from "@hostledger/runtime";

/** Makes a credential. @param random 32 characters of base64url from a secure source. */
export function createAuditorCredential(credentialId: number, random: string): NewSecret {
  return createSecret("hla_", [credentialId], random);
}

/** Returns the id and the hash of a possible credential; undefined if the form or the checksum is wrong. */
export function readAuditorCredential(
  text: string,
): { readonly credentialId: number; readonly hash: string } | undefined {
  const { ids: [credentialId, other] = [], hash = "" } = readSecret("hla_", text) ?? {};
  return credentialId === undefined || other !== undefined ? undefined : { credentialId, hash };
}
