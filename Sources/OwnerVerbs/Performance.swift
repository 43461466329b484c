import Languages
import LineProtocol

/// A verb being performed.
struct Performance<Gateway: OwnerGateway> {
  let gateway: Gateway
  let language: Language
  let columns: Int

  func report(_ verb: OwnerVerb) async throws -> OwnerReport {
    let command: Command =
      switch verb {
      case .status, .receiver: .status
      case .apps, .show, .prompts, .answer, .regions: .owner(.apps)
      case .allow(let app, .whileUsing): .owner(.set(app: app, .status(.whenInUse)))
      case .allow(let app, .always): .owner(.set(app: app, .status(.always)))
      case .deny(let app): .owner(.set(app: app, .status(.denied)))
      case .reset(let app): .owner(.reset(app: app))
      case .accuracy(let app, let accuracy): .owner(.set(app: app, .accuracy(accuracy)))
      case .use(let app): .owner(.use(app: app))
      case .log(let app, let count): .owner(.log(since: nil, app: app, limit: count ?? 10))
      case .lock: .owner(.lock)
      }
    let answer = try await gateway.perform(command)
    let lines = answer.messages.map(\.json) + answer.fields.pairs.map { "\($0.key) \($0.value)" }
    return OwnerReport(lines: lines.flatMap { Columns.wrapped($0, to: columns) }, json: answer.messages.map(\.json))
  }
}
