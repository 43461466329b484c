import Foundation
import Testing

/// The names that the module of the gate, `Disclosure`, exports to other targets.
@Suite struct GateExportTests {
  /// The names of the declarations with the access level `package` or `public`. Before you add a name, make sure that no
  /// position can be read or computed with it. The one exception is `sky`: the satellites in view, for owners.
  private static let exports = """
    Authorization: allows(_:in:)
    CloakState:
    CloakUnavailable: !=(_:_:) description init(_:)
    CrossingDisclosure: app connection event expires init(app:event:expires:region:registered:connection:sids:) region
    CrossingDisclosure: registered sids
    Delivery: app entry expires isKept messageID nextDeadline passDeadline(at:) request resume() session
    DisclosureFailure: !=(_:_:) cause cloak(_:) encryption(_:) indicator(_:) pending placeless places(_:) revoked
    DisclosureFailure: store(_:)
    DisclosureGate: adopt(_:) advanceCloak(_:isLocked:isWanted:at:) advancePlaces(_:isLocked:isWanted:at:)
    DisclosureGate: disclose(_:_:under:_:_:at:) drainSlots(isStopping:) init(_:places:indicationTime:isSimulated:)
    DisclosureGate: isNodeWanted isPlaceWanted memoryName nextDeadline noteSuspension(at:) places watchPlaces(_:)
    DisclosureIndicator: endUse(by:) labelRemedy showUse(by:until:at:) stateOfUpdates(at:)
    DisclosureLog: content(of:) keep(_:as:_:sealing:) open(_:_:sealing:) openInterval(_:_:sealing:) postpone(_:)
    DisclosureLog: savePending(except:) seal(_:)
    DisclosureReceipt: delivered(_:) kept(_:) published(_:isLate:) reported(entry:) sent(entry:)
    DisclosureReceipt: stored(_:expires:indicationEnd:) updated(accuracy:)
    DisclosureRequest: crossing(_:) once(_:) publication(_:) redelivery(_:on:) update(_:)
    IndicatorState: !=(_:_:) dark(_:) on unseen
    OnceDisclosure: connection grant init(grant:options:tag:received:connection:sid:qos:messageID:isClockSet:)
    OnceDisclosure: isClockSet messageID options qos received sid tag
    PlacesState:
    PlacesUnavailable: !=(_:_:) description init(_:)
    PublicationDisclosure: expires fix indicationEnd init(fix:session:expires:indicationEnd:isLate:sink:)
    PublicationDisclosure: isLate session sink
    QuarterHours: advance(_:at:) due init(interval:) isDue(at:)
    SealedFix: arrived utc(at:)
    SealedMemory: !=(_:_:) bytes init(_:_:) name
    SealedPlaces: apps change(_:_:at:) encoded forgetSides() init(boot:) init(from:boot:) isEmpty most name ownerJSON
    SealedPosition:
    SealedReceiver: advance(today:) condition consume(_:) current drainNotices() drainReplies()
    SealedReceiver: init(isLive:requiresChecksum:servesUnmeasured:keepsAnswers:) latest lose(cause:) nextDeadline
    SealedReceiver: open() pass(to:) sentenceCounts sky switchOff() time totals
    SealedRegions: Crossing add(_:of:at:) apps erase(from:) forgetSides() init() init(from:) isEmpty isSaved most
    SealedRegions: noteSaved() noteUnsaved(of:) ownerJSON(_:of:) region(_:of:) regions(of:) registered(_:of:)
    SealedRegions: remove(_:of:) removeAll(of:) save(in:isWhole:) update(with:for:told:)
    UpdateDisclosure: init(_:to:sids:mayOpenInterval:)
    UpdateStream: app close() count entry init(_:_:of:_:) isFirstFixAwaited nextQuarterHour request session
    """

  /// The arguments of the compiler that change the meaning of a module, each with a value.
  private static let kept: Set = [
    "-module-name", "-I", "-target", "-Xcc", "-package-name", "-swift-version", "-enable-upcoming-feature",
    "-enable-experimental-feature", "-module-cache-path", "-sdk",
  ]

  private struct Graph: Decodable {
    struct Symbol: Decodable { var pathComponents: [String] }
    var symbols: [Symbol]
  }

  /// Returns the command with which SwiftPM has compiled the module, without its outputs.
  private func command() throws -> [String] {
    let folder = URL(fileURLWithPath: Program.onefixd).deletingLastPathComponent()
    let builds = folder.deletingLastPathComponent().deletingLastPathComponent()
    let file = builds.appendingPathComponent("\(folder.lastPathComponent).yaml")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.contains("args: [") && $0.contains(#""-module-name","Disclosure""#) })
    let words = try JSONDecoder().decode([String].self, from: Data(line.trimmingPrefix(#/ *args: /#).utf8))
    var command = [try #require(words.first)]
    for (word, next) in zip(words, words.dropFirst() + [""]) {
      if Self.kept.contains(word) { command += [word, next] }
      if word.hasPrefix("@") || word.hasPrefix("-D") { command.append(word) }
    }
    return command
  }

  @Test func `the gate exports the names on the list and no others`() async throws {
    let folder = try Folder()
    let outputs = [
      "-emit-module", "-emit-module-path", folder.path("Disclosure.swiftmodule"), "-emit-symbol-graph",
      "-emit-symbol-graph-dir", folder.path, "-symbol-graph-minimum-access-level", "package",
    ]
    let command = try command()
    let end = try await Child(command[0], command.dropFirst() + outputs).finish()
    try #require(end.end == .exit(0), "\(end.errors)")
    var exported: Set<String> = []
    // Extensions of types of other modules have files of their own.
    for name in folder.names where name.hasSuffix(".symbols.json") {
      let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
      exported.formUnion(graph.symbols.map { $0.pathComponents.joined(separator: ".") })
    }
    var listed: Set<String> = []
    for line in Self.exports.split(separator: "\n") {
      let words = line.split(separator: " ")
      let type = words[0].dropLast()
      listed.insert(String(type))
      listed.formUnion(words.dropFirst().map { "\(type).\($0)" })
    }
    #expect(exported.subtracting(listed) == [], "not on the list")
    // The list names the type of an extension, and the module does not export it.
    #expect(listed.subtracting(exported).subtracting(["Authorization"]) == [], "no longer exported")
  }
}
