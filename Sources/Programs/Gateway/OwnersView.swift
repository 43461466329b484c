import Authorization
import Clocks
import GNSS
import LineProtocol
import Ports

/// What owners see of the sky and of who is connected. No position.
extension Gateway {
  func skyFields(count: Int) -> ServerLine.Fields {
    let (condition, sky) = (reception.condition, reception.sky)
    var fields: ServerLine.Fields = ["count": "\(count)", "receiver": condition.state.rawValue]
    fields["fix"] = condition.mode?.name
    fields["sats"] = condition.satellitesUsed.map { "\($0)" }
    fields["hdop"] = sky.dilutionOfPrecision.horizontal.map { "\($0)" }
    fields["vdop"] = sky.dilutionOfPrecision.vertical.map { "\($0)" }
    fields["pdop"] = sky.dilutionOfPrecision.position.map { "\($0)" }
    fields["hacc"] = sky.horizontalAccuracy.map { "\($0)" }
    return fields
  }

  /// The first sessions after one, or of all, in the order in which they began; and how many there are in all.
  func sessionObjects(of app: AppID?, limit: Int, after: Int?) -> (shown: [String], count: Int) {
    let all = app.map { sessions.of($0) } ?? Array(sessions.values)
    let later = after.map { after in all.filter { $0.id.number > UInt64(after) } } ?? all
    return (later.sorted { $0.id < $1.id }.prefix(limit).map(sessionJSON), all.count)
  }

  private func sessionJSON(_ session: Session) -> String {
    let id = session.id
    var object = JSONObject()
    // Its number is no secret; its token is.
    object.add("session", Int64(clamping: id.number))
    object.add("app", session.app.name)
    object.add("transport", session.transport.rawValue)
    object.add("peer", "\(session.peer)")
    object.add("since", clock.utc(at: session.opened).iso8601)
    object.add("away", session.connection == nil ? true : nil)
    object.add("armed", session.request != nil)
    object.add("in-use", authorization.isInUse(id) && hasStandingRight(id, of: session.app))
    if authorization.updates[id] != nil {
      object.add("updates", authorization.isInSight(id) ? "in-use" : "background")
    }
    return object.text
  }
}
