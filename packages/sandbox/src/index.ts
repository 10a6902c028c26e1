export { RootwardSandboxError } from './error.js';
export type { SandboxErrorCode, SandboxErrorOptions } from './error.js';
export type { BackendName, Guarantee, SandboxLevel, WantedLevel } from './level.js';
export type { BackendFinding } from './backends/backend.js';
export { findBackends } from './backends/find-backends.js';
export type { FindBackendsOptions } from './backends/find-backends.js';
export { protecting } from './find/found.js';
export type { Found } from './find/found.js';
export { SteeringFinder } from './find/steering-finder.js';
export type { HostFacts } from './plan/host-facts.js';
export { readHost } from './host/read-host.js';
export { chooseBackend, openSandbox } from './open-sandbox.js';
export type { OpenSandboxOptions } from './open-sandbox.js';
export { explainPlan } from './plan/explain.js';
export { findDenied } from './plan/find-denied.js';
export { makePlan } from './plan/make-plan.js';
export type { PlanInput, PlannedRoot, SandboxProfile } from './plan/make-plan.js';
export type {
  HiddenPath,
  PathAccess,
  PathReason,
  PlannedLink,
  PlannedPath,
  SandboxPlan,
} from './plan/plan.js';
export { Sandbox, SandboxChild } from './sandbox.js';
export type { PlanRequest, RunRequest, Spawnable, StdioEntry } from './sandbox.js';
