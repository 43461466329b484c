import Base
import Ports

/// A cache of the latest fix with full accuracy, encoded once for each subscription identifier. All connections with
/// the same identifier share one encoding.
///
/// Without this cache, a fix to 1,000 subscribers at 10 Hz would take 24 % more processor time (`Scripts/bench
/// fanout`).
struct EncodedUpdates {
  private var arrived: MonotonicInstant?
  private var disclosed: MonotonicInstant?
  private var lines: [String: UpdateLine] = [:]

  mutating func line(
    of fix: SealedFix, _ sid: String, for connection: any ClientConnection, at now: MonotonicInstant
  ) -> UpdateLine {
    let transport = connection.transport
    if transport.hasSatellites {
      return UpdateLine(sid: sid, json: fix.json(fix.report(disclosed: now), for: transport))
    }
    if arrived != fix.arrived || disclosed != now { (arrived, disclosed, lines) = (fix.arrived, now, [:]) }
    if let line = lines[sid] { return line }
    let line = UpdateLine(sid: sid, json: fix.json(fix.report(disclosed: now), for: transport))
    lines[sid] = line
    return line
  }
}
