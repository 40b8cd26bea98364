// The public face of @holdfast/keeper: the port to processes, and the keeper inside the host.
export {
  KEEPER_ERROR_CODES,
  KeeperError,
  type Audience,
  type EnvironmentRequest,
  type Keeper,
  type KeeperErrorCode,
  type KeeperExit,
  type KeeperRun,
  type KeeperRunRequest,
  type KeeperSink,
  type LimitMeans,
  type LimitName,
  type LimitsInForce,
  type RunKind,
  type RunLimits,
  type RunStream,
  type ScreenSize,
  type TreeChoice,
  type TreeMechanism,
  type TreeProcess,
} from "./port.ts";
export { InlineKeeper, type InlineKeeperOptions } from "./inline.ts";
