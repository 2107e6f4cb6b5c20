/** Every step at which a stored run can stand, for each kind of run; `parked@` is a run that waits there for staff. */
export const steps = {
  registration: [
    "new",
    ...withParked(["charging", "ordering", "inquiring", "confirming"]),
    ...withParked(["holding", "refunding", "releasing", "settling", "cancelling"]),
    ...withParked(["delegating", "recording-delegation", "recording-refused-delegation"]),
    ...withParked(["creating-zone", "recording-zone-failure", "recording-zone"]),
    "completed",
  ],
  serverorder: [
    ...withParked(["reserving", "placing", "charging", "provisioning", "inquiring", "recording"]),
    ...withParked(["failing", "refunding", "settling", "destroying", "returning"]),
    "completed",
  ],
  renewal: [
    "new",
    ...withParked(["charging", "ordering", "inquiring", "confirming", "refunding", "failing"]),
    "completed",
  ],
  serverrenewal: [
    ...withParked(["charging", "recording", "withdrawing", "refunding", "resuming"]),
    "completed",
  ],
} as const;

function withParked(steps: readonly string[]): readonly string[] {
  return steps.flatMap((step) => [step, `parked@${step}`]);
}
