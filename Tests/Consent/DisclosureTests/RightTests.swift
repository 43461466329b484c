import Base
import LineProtocol
import RecordingClients
import StateStore
import Testing

@testable import Authorization
@testable import Disclosure

/// The first step: the gate discloses no fix under a revoked right.
@Suite struct RightTests {
  @Test(arguments: Kind.allCases, [true, false])
  func `nothing is disclosed while the gateway is locked`(kind: Kind, isPossible: Bool) throws {
    var scene = try Scene()
    let request = try scene.request(kind)
    // The end of the right is noticed before a missing fix, or a client that does not read.
    if !isPossible { scene.fix = nil }
    scene.connection.isFull = !isPossible
    _ = scene.authorization.handle(.lockOrdered, at: start.monotonic)
    #expect(scene.failure(of: request) == .revoked)
    #expect(scene.steps == [])
  }

  /// The ends of rights, and the disclosures that need these rights.
  static let ends: [(event: Event, kinds: [Kind])] = [
    (.ordered(.setStatus(a, .denied)), Kind.allCases), (.ordered(.setAccuracy(a, .reduced)), Kind.allCases),
    (.ordered(.reset(a)), Kind.allCases), (.cancelled(session), [.once]), (.stopped(session), [.update]),
  ]

  @Test(arguments: ends)
  func `nothing is disclosed after its right has ended`(event: Event, kinds: [Kind]) throws {
    for kind in kinds {
      var scene = try Scene()
      let request = try scene.request(kind)
      _ = scene.authorization.handle(event, at: start.monotonic)
      #expect(scene.failure(of: request) == .revoked, "\(kind)")
      #expect(scene.steps == [], "\(kind)")
    }
  }

  @Test func `a grant is served only as it was granted`() throws {
    var scene = try Scene()
    let grant = try #require(scene.grant)
    for (request, notBefore, expires) in [
      (RequestID(9), grant.notBefore, grant.expires),
      (grant.request, grant.notBefore - .seconds(60), grant.expires),
      (grant.request, grant.notBefore, grant.expires + .seconds(60)),
    ] {
      var once = try scene.once()
      once.grant = Grant(
        request: request, session: session, app: a, right: grant.right, press: grant.press, notBefore: notBefore,
        expires: expires)
      #expect(scene.failure(of: .once(once)) == .revoked)
    }
    #expect(scene.steps == [])
  }

  @Test(arguments: [Kind.once, .redelivery, .publication, .crossing])
  func `nothing is disclosed from the moment on at which it expires`(kind: Kind) throws {
    var scene = try Scene()
    let request = try scene.request(kind)
    let expires =
      switch request {
      case .once(let once): once.grant.expires
      case .redelivery(let delivery, _): delivery.expires
      case .publication(let publication): publication.expires
      case .crossing(let crossing): crossing.expires
      case .update: start.monotonic
      }
    let now = start + (expires - start.monotonic)
    #expect(scene.failure(of: request, at: now) == .revoked)
    #expect(scene.steps == [])
    #expect(scene.failure(of: request, at: now + .nanoseconds(-1)) == nil)
  }

  // MARK: Fixes of the outbox

  /// Whether an app may still have a fix that was granted by a right, by the app's present status.
  static let rights: [(AuthorizationStatus, Bool, [Right])] = [
    (.denied, true, []), (.restricted, true, []),
    (.notDetermined, true, [.once, .allowedOnce]), (.notDetermined, false, [.allowedOnce]),
    (.whenInUse, true, [.once, .allowedOnce, .whenInUse]),
    (.always, true, [.once, .allowedOnce, .whenInUse, .always]),
  ]

  @Test(arguments: rights)
  func `a fix of the outbox is published only if the app's right is no less`(
    status: AuthorizationStatus, isConfirmed: Bool, allowed: [Right]
  ) throws {
    let scene = try Scene()
    var record = AppRecord(app: a, status: status == .restricted ? .always : status)
    record.isButtonConfirmed = isConfirmed
    var configuration = Authorization.Configuration()
    if status == .restricted { configuration.restrictedApps = [a] }
    let authorization = Authorization(configuration: configuration, records: [record])
    for right in Right.allCases {
      let fix = try scene.log.outbox.add(a, .full, right, expires: scene.waiting.expires, at: start)
      #expect(authorization.allows(fix, in: nil) == allowed.contains(right), "\(right) with \(status)")
    }
  }

  @Test(arguments: FixAccuracy.allCases, FixAccuracy.allCases)
  func `a fix of the outbox is published only if it is no more accurate than the app may have`(
    kept: FixAccuracy, present: FixAccuracy
  ) throws {
    let scene = try Scene()
    let fix = try scene.log.outbox.add(a, kept, expires: scene.waiting.expires, at: start)
    let authorization = Authorization(records: [AppRecord(app: a, status: .always, accuracy: present)])
    #expect(authorization.allows(fix, in: nil) == (kept <= present))
  }

  // MARK: Crossings

  @Test(arguments: AuthorizationStatus.allCases, FixAccuracy.allCases)
  func `a crossing is reported only to an app that always has full accuracy`(
    status: AuthorizationStatus, accuracy: FixAccuracy
  ) throws {
    var scene = try Scene()
    let request = try scene.request(.crossing)
    scene.authorization = Authorization(records: [
      AppRecord(app: a, status: status == .restricted ? .denied : status, accuracy: accuracy)
    ])
    #expect((scene.failure(of: request) == nil) == (status == .always && accuracy == .full))
  }
}
