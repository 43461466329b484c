/** The path of a Unix socket, or the address of a listener. */
export type Address = string | { host: string; port: number }

export interface Options {
  /** The id of the app. */
  app: string
  /** The key of the app: 32 bytes as base64url. With a host, a key is needed, or over TLS a token or a certificate. A Unix
   * socket takes no key. */
  key?: string
  /** Whether the connection is TLS; `ca` has the trusted certificates (PEM) instead of those of Node. */
  tls?: boolean | { ca?: string | Uint8Array }
  /** The token of the app, which is sent over TLS only. */
  token?: string
  /** The certificate of the app and its private key (PEM). */
  certificate?: { cert: string | Uint8Array; key: string | Uint8Array }
}

export type Accuracy = 'full' | 'reduced' | 'place'
export type Status = 'notDetermined' | 'denied' | 'restricted' | 'whenInUse' | 'always'

/** A fix in SI units, UTC and WGS 84. An unknown value is absent; a fix with the accuracy `place` has only three members. */
export interface Fix {
  accuracy: Accuracy
  time?: string
  measured?: string
  lat?: number
  lon?: number
  hacc?: number
  alt?: number
  vacc?: number
  speed?: number
  sacc?: number
  course?: number
  cacc?: number
  fix?: '2d' | '3d'
  sats?: number
  place?: string
  age_ms?: number
  geoid?: number
  hdop?: number
  pdop?: number
  vdop?: number
  quality?: string
  coasted?: boolean
  suspect?: string
  dropped?: number
}

export interface Once {
  /** The text that the user reads, at most 80 columns. */
  purpose?: string
  /** Less than the app may receive. */
  accuracy?: 'reduced' | 'place'
  /** Seconds to wait for the press, 1 to 3600; 300 unless given. */
  timeout?: number
  /** The greatest age of the measurement, in milliseconds. */
  maxAge?: number
  /** Whether a press is needed although the app may receive fixes without one. */
  press?: boolean
  /** Called when the gateway waits for the press. */
  armed?: () => void
  /**
   * Withdraws the request. The gateway then also closes an open question of `authorize`; if a user could see it,
   * `authorize` fails with `TooSoon`, and the app must wait for an hour.
   */
  signal?: AbortSignal
}

export interface Authorization {
  status: Status
  accuracy: Accuracy
}

export interface Region {
  id: string
  /** Degrees. */
  lat: number
  lon: number
  /** Metres, 100 to 100,000. */
  radius: number
  events: ('enter' | 'exit')[]
  text: string
}

/** A region as the gateway lists it: the events are one text, for example `enter,exit`. */
export type ListedRegion = Omit<Region, 'events'> & { events: string }

export interface RegionEvent {
  region: string
  event: 'enter' | 'exit'
}

/** Connects to the gateway as an app. */
export function connect(address: Address, options: Options): Promise<Client>

export class Client {
  private constructor()
  /** The fields of the gateway's first line. */
  readonly greeting: Record<string, string>
  /** Asks for one fix, waits for the press, and returns the fix. */
  requestOnce(options?: Once): Promise<Fix>
  /** Asks the user for an authorization, and returns the answer. If nobody answers within 60 s, it throws NoPress. */
  authorize(options?: { scope?: 'when-in-use' | 'always' | 'full-accuracy'; purpose?: string }): Promise<Authorization>
  /** Yields fixes until the loop ends. Interval in milliseconds, distance in metres. */
  updates(options?: { interval?: number; distance?: number; background?: boolean }): AsyncGenerator<Fix, void>
  /** Yields events of regions until the loop ends. */
  regionEvents(): AsyncGenerator<RegionEvent, void>
  /** Registers a region, or replaces the region with this id. */
  addRegion(region: Region): Promise<void>
  removeRegion(id: string): Promise<void>
  regions(): Promise<ListedRegion[]>
  /** Returns the state of the app, the indicator and the receiver. */
  status(): Promise<Record<string, string>>
  /** Reports that the app is not in view. */
  enterBackground(): Promise<void>
  /** Reports that the app is in view. */
  enterForeground(): Promise<void>
  /** Ends the session and closes the connection. */
  close(): Promise<void>
}

/** An error. Each subclass stands for one reaction of the app. */
export class OneFixError extends Error {}
/** No gateway listens at the address, or this process has no permission to connect. */
export class NoGateway extends OneFixError {}
/** The server is not the gateway. */
export class Untrusted extends OneFixError {}
/** The connection ended, and with it the request. */
export class ConnectionLost extends OneFixError {}
/** The gateway refused. `code` and `slug` come from the line protocol; `retryAfter` is in seconds. */
export class Refused extends OneFixError {
  readonly code: number
  readonly slug: string
  readonly text: string
  readonly retryAfter?: number
}
export class Invalid extends Refused {}
export class NotDetermined extends Refused {}
export class Denied extends Refused {}
export class Restricted extends Denied {}
export class NotInUse extends Refused {}
export class Locked extends Refused {}
export class NoPress extends Refused {}
export class AlreadyAsking extends Refused {}
export class Expired extends Refused {}
export class TooSoon extends Refused {}
export class TooMany extends Refused {}
export class GatewayFailed extends Refused {}
export class NoFix extends Refused {}
export class Withheld extends NoFix {}
export class Unauthenticated extends Refused {}
export class Incompatible extends Refused {}
