using Shop.Store;
using Things = Shop.Store.Item;

namespace Shop;

public record Order(Item First, int Count) : IPriced
{
    public string Name => First.Name;
    public int Price() => First.Price() * Count;
}

[Audited]
public static class Program
{
    public static int Report(this IPriced thing) => thing.Price();

    public static void Main(string[] args)
    {
        var pen = new Item("pen", 120);
        Things book = new("book", 1);
        Item sum = pen + book;
        Report(sum);
        pen.Describe();
        Missing(pen);
        Helpers.Log(sum.Price());
    }

    static class Helpers
    {
        internal static void Log(int n) { }
    }
}
