// This file is a target of the mutated copy only. Scripts/mutate builds all mutants at the same time, and this target
// selects the active one: the mutant whose number is in the environment variable ONEFIX_MUTANT.

import Glibc

/// The number of the active mutant, or 0.
private let active: Int = unsafe getenv("ONEFIX_MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0

/// One byte for each mutant, which becomes 1 when its code runs. The file ONEFIX_REACHED has the bytes, so that a program
/// that a test starts records them as well. Nil in all runs except the first.
nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8>? = {
  guard let path = unsafe getenv("ONEFIX_REACHED") else { return nil }
  let file = unsafe open(path, O_RDWR)
  guard file >= 0 else { return nil }
  let size = Int(lseek(file, 0, SEEK_END))
  let bytes = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
  guard unsafe bytes != MAP_FAILED else { return nil }
  return unsafe bytes?.assumingMemoryBound(to: UInt8.self)
}()

/// Whether the mutant with this number is active.
public func mutant(_ number: Int) -> Bool {
  if let reached = unsafe reached { unsafe reached[number] = 1 }
  return number == active
}

/// A negated condition.
public func mutantNot(_ number: Int, _ condition: Bool) -> Bool { condition != mutant(number) }

/// A condition that always holds.
public func mutantTrue(_ number: Int, _ condition: Bool) -> Bool { mutant(number) || condition }

/// A condition that never holds.
public func mutantFalse(_ number: Int, _ condition: Bool) -> Bool { !mutant(number) && condition }

/// `a < b`, or `a <= b`.
public func mutantLess<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool { mutant(number) ? a <= b : a < b }

/// `a <= b`, or `a < b`.
public func mutantLessOrEqual<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool { mutant(number) ? a < b : a <= b }

/// `a > b`, or `a >= b`.
public func mutantGreater<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool { mutant(number) ? a >= b : a > b }

/// `a >= b`, or `a > b`.
public func mutantGreaterOrEqual<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
  mutant(number) ? a > b : a >= b
}
