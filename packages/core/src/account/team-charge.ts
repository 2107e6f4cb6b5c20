/** Prefix of the ids of teams' charges; ids of orders never have it. */
const prefix = "service:";

/** Returns the id of an internal team's charge (ADR 0058), unique among all teams. */
export function teamChargeId(team: string, chargeId: string): string {
  return `${prefix}${team}/${chargeId}`;
}

/** Returns true for a charge of an internal team. Its id is unique within its account only. */
export function isTeamCharge(chargeId: string): boolean {
  return chargeId.startsWith(prefix);
}
