import Base
import LineProtocol
import RecordingClients
import StateStore
import Testing

@testable import Authorization
@testable import Disclosure

/// The first step: the gate discloses no fix under a revoked right.
@Suite struct RightTests {
  @Test(arguments: Kind.allCases)
  func `nothing is disclosed while the gateway is locked`(kind: Kind) throws {
    var scene = try Scene()
    let request = try scene.request(kind)
    _ = scene.authorization.handle(.lockOrdered, at: start.monotonic)
    #expect(scene.failure(of: request) == .revoked)
    #expect(scene.steps == [])
  }

  @Test(arguments: Kind.allCases)
  func `a right that has gone is noticed before a missing fix`(kind: Kind) throws {
    var scene = try Scene()
    let request = try scene.request(kind)
    scene.fix = nil
    scene.connection.isFull = true
    _ = scene.authorization.handle(.lockOrdered, at: start.monotonic)
    #expect(scene.failure(of: request) == .revoked)
  }

  @Test(arguments: [Kind.once, .update, .publication, .crossing], [OwnerChange.setStatus(a, .denied), .reset(a)])
  func `nothing is disclosed to an app that an owner denied or forgot`(kind: Kind, order: OwnerChange) throws {
    var scene = try Scene()
    let request = try scene.request(kind)
    _ = scene.authorization.handle(.ordered(order), at: start.monotonic)
    #expect(scene.failure(of: request) == .revoked)
    #expect(scene.steps == [])
  }

  @Test(arguments: [Kind.once, .update, .publication, .crossing])
  func `nothing of full accuracy is disclosed to an app whose accuracy was lowered meanwhile`(kind: Kind) throws {
    var scene = try Scene()
    let request = try scene.request(kind)
    _ = scene.authorization.handle(.ordered(.setAccuracy(a, .reduced)), at: start.monotonic)
    #expect(scene.failure(of: request) == .revoked)
    #expect(scene.steps == [])
  }

  @Test func `a fix is not sent again to an app whose right was lowered meanwhile`() throws {
    for order in [OwnerChange.setStatus(a, .denied), .setAccuracy(a, .reduced), .reset(a)] {
      var scene = try Scene()
      let request = try scene.request(.redelivery)
      let effects = scene.authorization.handle(.ordered(order), at: start.monotonic)
      // The queue of deliveries erases the fix, too.
      #expect(effects.contains(.eraseUndelivered(a)))
      #expect(scene.failure(of: request) == .revoked)
      #expect(scene.steps == [])
    }
  }

  @Test func `a grant that ended is not served`() throws {
    var scene = try Scene()
    let request = try scene.request(.once)
    _ = scene.authorization.handle(.cancelled(session), at: start.monotonic)
    #expect(scene.failure(of: request) == .revoked)
    #expect(scene.steps == [])
  }

  @Test func `a grant is served only as it was granted`() throws {
    var scene = try Scene()
    let grant = try #require(scene.grant)
    for altered in [
      Grant(
        request: RequestID(9), session: session, app: a, right: .always, press: grant.press, notBefore: grant.notBefore,
        expires: grant.expires),
      Grant(
        request: grant.request, session: session, app: a, right: grant.right, press: grant.press,
        notBefore: grant.notBefore - .seconds(60), expires: grant.expires),
      Grant(
        request: grant.request, session: session, app: a, right: grant.right, press: grant.press,
        notBefore: grant.notBefore, expires: grant.expires + .seconds(60)),
    ] {
      var once = try scene.once()
      once.grant = altered
      #expect(scene.failure(of: .once(once)) == .revoked)
    }
    #expect(scene.steps == [])
  }

  @Test func `updates that ended are not served`() throws {
    var scene = try Scene()
    let request = try scene.request(.update)
    _ = scene.authorization.handle(.stopped(session), at: start.monotonic)
    #expect(scene.failure(of: request) == .revoked)
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
