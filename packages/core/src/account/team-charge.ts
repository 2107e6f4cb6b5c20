/** What the names of teams' charges begin with, and of no order's run, whose name its charge bears. */
const prefix = "service:";

/** The name of a charge that an internal team makes (ADR 0058): its own, whatever others call theirs. */
export function teamChargeId(team: string, chargeId: string): string {
  return `${prefix}${team}/${chargeId}`;
}

/** True for a charge of an internal team. No order of ours made it; its name is one of its account's, not of all accounts'. */
export function isTeamCharge(chargeId: string): boolean {
  return chargeId.startsWith(prefix);
}
