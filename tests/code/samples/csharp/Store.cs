using System;

namespace Shop.Store
{
    /// <summary>What has a price.</summary>
    public interface IPriced
    {
        int Price();
        string Name { get; }
    }

    public enum Kind { Book, Pen }

    public delegate int Pricer(Item item);

    [AttributeUsage(AttributeTargets.All)]
    public class AuditedAttribute : Attribute
    {
    }

    public abstract class Base
    {
        protected string Label;
        protected Base(string label) { Label = label; }
        protected virtual int Rounded(int n) => n - n % 5;
    }

    /// <summary>
    /// One thing on the shelf.
    /// </summary>
    public partial class Item : Base, IPriced
    {
        public const int MaxItems = 8;
        private readonly int cost;
        private readonly Kind kind = Kind.Book;

        public Item(string label, int cost) : base(label)
        {
            this.cost = cost;
        }

        /// <summary>The text.</summary>
        public string Name => Label.Trim();

        public int Cost
        {
            get { return cost; }
        }

        public event EventHandler Sold;

        [Audited]
        public int Price()
        {
            if (cost < 0 || kind == Kind.Pen) return 0;
            return Twice(Rounded(cost)) + MaxItems;

            int Twice(int n) => n * 2;
        }

        public static Item operator +(Item a, Item b) => new Item(a.Name, a.cost);

        public int this[int index] => cost;
    }

    public struct Place
    {
        public int Row;
        public int Index() => Row * Item.MaxItems;
    }
}
