"""Method names that everyday C# objects have."""

from __future__ import annotations

_COMMON_MEMBERS = """
Add AddRange Aggregate All Any Append AppendFormat AppendLine Await Cast Clear Clone Close Combine Compare CompareTo
Concat ConfigureAwait Contains ContainsKey Copy CopyTo Count Create Dequeue Dispose DisposeAsync Distinct ElementAt
EndsWith Enqueue Equals Exists Find FindIndex First FirstOrDefault Flush ForEach Format Get GetAwaiter GetBytes
GetCustomAttributes GetEnumerator GetHashCode GetLength GetMethod GetProperty GetResult GetType GetValue GroupBy
IndexOf Insert Invoke IsAssignableFrom Join Last LastOrDefault Max Min MoveNext Next Open OrderBy Parse Peek Pop
Push Read ReadAsync ReadLine Remove RemoveAll RemoveAt Replace Reset Reverse Select SelectMany SequenceEqual Set
SetValue Single SingleOrDefault Skip Sort Split Start StartsWith Stop Substring Sum Take ToArray ToDictionary ToList
ToLower ToString ToUpper Trim TrimEnd TrimStart TryAdd TryGetValue TryParse Union Wait Where Write WriteAsync
WriteLine Zip
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From System, System.Collections.Generic, System.IO, System.Linq, System.Reflection, System.Text and
System.Threading.Tasks: an unknown receiver's method of such a name is not taken for the project's."""
