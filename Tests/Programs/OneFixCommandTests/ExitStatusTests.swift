import LineProtocol
import Testing

@testable import OneFixClient
@testable import onefix

/// The exit statuses of a refusal: of a command for apps, and of a command for owners.
private func statuses(_ code: ErrorCode) -> (app: Int32, owner: Int32) {
  switch code {
  case .noPress: (3, 3)
  case .denied, .restricted: (4, 4)
  case .locked: (5, 5)
  case .noFix, .receiverAbsent, .indicator, .store, .expired: (6, 6)
  // Only an owner's command says that the state cannot be written.
  case .notSaved: (1, 6)
  case .shuttingDown: (7, 7)
  // The client of an app loses the connection with these errors.
  case .slowConsumer, .keepaliveTimeout: (7, 1)
  default: (1, 1)
  }
}

@Test(arguments: ErrorCode.allCases)
func `a refusal has the exit status of its cause`(code: ErrorCode) {
  let refusal = LineError(code, "no")
  let expected = statuses(code)
  #expect(ExitStatus.status(of: ClientError(refusal)) == expected.app)
  #expect(ExitStatus.status(of: LinkError.refused(refusal)) == expected.owner)
}
