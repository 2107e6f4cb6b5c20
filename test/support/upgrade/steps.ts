/** Every step at which a stored run can stand, for each kind of run; `parked@` is a run that waits there for staff. */
export const steps = {
  registration: [
    "new",
    ...withSuspended(["charging", "ordering", "inquiring", "confirming"]),
    ...withSuspended(["holding", "refunding", "releasing", "settling", "cancelling"]),
    ...withSuspended(["delegating", "recording-delegation", "recording-refused-delegation"]),
    ...withSuspended(["creating-zone", "recording-zone-failure", "recording-zone"]),
    "completed",
  ],
  serverorder: [
    ...withSuspended(["reserving", "placing", "charging", "provisioning", "inquiring", "recording"]),
    ...withSuspended(["failing", "refunding", "settling", "destroying", "returning"]),
    "completed",
  ],
  renewal: [
    "new",
    ...withSuspended(["charging", "ordering", "inquiring", "confirming", "refunding", "failing"]),
    "completed",
  ],
  serverrenewal: [
    ...withSuspended(["charging", "recording", "withdrawing", "refunding", "resuming"]),
    "completed",
  ],
} as const;

function withSuspended(steps: readonly string[]): readonly string[] {
  return steps.flatMap((step) => [step, `parked@${step}`]);
}
